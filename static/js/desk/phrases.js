// A person's saved phrases, inserted into a comment where its cursor is.

export class Phrases {
  constructor(page) {
    page.on(page.root, "change", (event) => {
      const list = event.target.closest("[data-phrases]");
      if (!list) return;
      event.stopPropagation();
      if (list.value) insert(list.parentElement.querySelector("textarea"), list.value);
      list.value = "";
    }, { capture: true });
  }
}

function insert(field, phrase) {
  const before = field.value.slice(0, field.selectionStart);
  const gap = before && !/\s$/.test(before) ? " " : "";
  field.setRangeText(gap + phrase, field.selectionStart, field.selectionEnd, "end");
  field.dispatchEvent(new Event("input", { bubbles: true }));
  field.dispatchEvent(new Event("change", { bubbles: true }));
  field.focus();
}
