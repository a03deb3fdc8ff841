// Buttons that copy the text of the field they name, and links to files that get a button to copy what is in them.

const gettext = (text) => window.interraterLanguage?.words[text] ?? text; // a classic script: it cannot import
const PRESS = gettext("Press Ctrl+C to copy");

function copyField(field, say) {
  field.focus();
  field.select();
  if (!navigator.clipboard) { // available only over https and on localhost
    say(PRESS);
    return;
  }
  navigator.clipboard.writeText(field.value).then(() => say(gettext("Copied")), () => say(PRESS));
}

async function copyFile(button) {
  const say = (text) => { button.textContent = text; };
  let text;
  try {
    const response = await fetch(button.dataset.copyFile);
    if (!response.ok) throw new Error(response.statusText);
    text = await response.text();
  } catch {
    say(gettext("Could not copy: save the file"));
    return;
  }
  const field = document.createElement("textarea");
  field.value = text;
  field.readOnly = true;
  field.className = "visually-hidden";
  field.setAttribute("aria-label", button.title);
  button.after(field);
  copyField(field, say);
}

document.addEventListener("click", (event) => {
  const button = event.target instanceof Element && event.target.closest("[data-copy], [data-copy-file]");
  if (!button) return;
  if (button.dataset.copyFile) copyFile(button);
  else copyField(document.getElementById(button.dataset.copy), (text) => { button.textContent = text; });
});
