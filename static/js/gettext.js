// What the page says, in its language: the file of the language (static/js/languages/) comes before the page's script,
// and on English pages there is none. Texts with %(names)s take values; a text that has no translation stays English.

const { words = {}, plural = () => 0 } = window.interraterLanguage ?? {};

export function gettext(text, values = {}) {
  return filled(words[text] ?? text, values);
}

export function ngettext(one, many, n, values = {}) {
  const forms = words[one] ?? [one, many];
  return filled(forms[words[one] ? plural(n) : Number(n !== 1)], { n, ...values });
}

function filled(text, values) {
  return text.replace(/%\((\w+)\)s/g, (all, name) => values[name] ?? all);
}
