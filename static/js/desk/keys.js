// One key per act, printed on the control it presses; never inside a text field; switched off by whoever wants that.

const WRITING = "textarea, select, [contenteditable], input:not([type=radio], [type=checkbox])";
const OWN_ENTER = "button, a[href], summary, dialog *, [popover] *";
const REPEATABLE = new Set(["[", "]"]);
const SWITCH = "desk-keys";

export class Keys {
  constructor(page, acts, wordmode, questions) {
    Object.assign(this, { page, acts, wordmode, questions });
    this.box = page.root.querySelector("#keys-on");
    this.#set(stored() !== "off");
    page.on(this.box, "change", () => this.#set(this.box.checked, true));
    page.on(document, "keydown", (event) => this.#down(event));
  }

  #set(on, keep = false) {
    this.on = this.box.checked = on;
    document.documentElement.classList.toggle("keys-off", !on);
    if (!keep) return;
    try {
      window.localStorage.setItem(SWITCH, on ? "on" : "off");
    } catch {
      this.page.message("This browser keeps no settings: the keys will be on again next time.");
    }
  }

  #down(event) {
    if (event.defaultPrevented || event.isComposing || !(event.target instanceof Element)) return;
    const field = event.target.closest(WRITING);
    if (field) return this.#writing(event, field);
    if (!this.on || event.ctrlKey || event.metaKey || event.altKey) return undefined;
    if (document.querySelector("dialog[open], [popover]:popover-open")) return undefined;
    const key = plain(event);
    if (this.wordmode.isOn && this.wordmode.key(event)) return event.preventDefault();
    if (event.repeat && !REPEATABLE.has(key)) return undefined;
    if (key === "enter" && event.target.closest(OWN_ENTER)) return undefined;
    const shifted = event.shiftKey && this.acts[`shift+${key}`];
    if (shifted) shifted();
    else if (this.acts[key]) this.acts[key]();
    else if (!this.questions.press(key)) return undefined;
    return event.preventDefault();
  }

  #writing(event, field) {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      field.form?.requestSubmit();
    } else if (event.key === "Escape" && this.page.form.contains(field)) {
      field.blur();
    }
  }
}

// The Latin letter or digit on the pressed key, also where the keyboard writes another script.
function plain(event) {
  if (event.key.length > 1 || /^[\x20-\x7e]$/.test(event.key)) return event.key.toLowerCase();
  return event.code.replace(/^(Key|Digit|Numpad)/, "").toLowerCase();
}

function stored() {
  try {
    return window.localStorage.getItem(SWITCH);
  } catch {
    return null;
  }
}
