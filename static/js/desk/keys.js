// One key per action, printed on its control; never active inside a text field; can be switched off.

import { gettext } from "../gettext.js";
import { keepKeys, keysAreOn } from "./keyswitch.js";

const WRITING = "textarea, select, [contenteditable], input:not([type=radio], [type=checkbox], [type=range])";
const OWN_ENTER = "button, a[href], summary, dialog *, [popover] *";
const REPEATABLE = new Set(["[", "]"]);
const MOVES_SLIDER = /^(arrow|page|home|end| )/;
const READING = new Set(["[", "]", "h", "i", "g", "?", "+", "-", "escape"]); // these work while an answer is being sent
const ARROWS = { "←": "ArrowLeft", "↓": "ArrowDown", "→": "ArrowRight" };

export class Keys {
  constructor(page, acts, wordmode, questions) {
    Object.assign(this, { page, acts, wordmode, questions });
    this.box = page.root.querySelector("#keys-on");
    this.#set(keysAreOn(this.box));
    page.on(this.box, "change", () => this.#keep());
    page.on(document, "keydown", (event) => this.#down(event));
    page.on(page.form, "desk:filled", () => this.#describe());
    this.earlyEvents = window.earlyEvents?.() ?? [];
  }

  // Press and click what was pressed and clicked before this script had arrived, until an answer is being sent: what
  // comes after that was not meant for this task.
  replay() {
    for (const { button, hasScrolled, ...pressed } of this.earlyEvents.splice(0)) {
      if (this.page.signal.aborted || this.page.form.inert) return;
      const event = () => new KeyboardEvent("keydown", { ...pressed, bubbles: true, cancelable: true });
      if (button) button.click();
      else document.body.dispatchEvent(Object.assign(event(), { hasScrolled }));
    }
  }

  #set(on) {
    this.on = this.box.checked = on;
    document.documentElement.classList.toggle("keys-off", !on);
    this.#describe();
  }

  async #keep() {
    this.#set(this.box.checked);
    if (await keepKeys(this.box, this.page.token)) return;
    this.page.message(this.on ? gettext("Keys are on until you leave this page. The server did not save it.") : gettext("Keys are off until you leave this page. The server did not save it."));
  }

  // Screen readers name a control's key as its key; it is no part of the control's name.
  #describe() {
    for (const printed of this.page.root.querySelectorAll("kbd[data-key]")) {
      const control = printed.closest("button, a") ?? printed.closest("label")?.querySelector("input");
      const { key } = printed.dataset;
      if (this.on) control?.setAttribute("aria-keyshortcuts", ARROWS[key] ?? key);
      else control?.removeAttribute("aria-keyshortcuts");
    }
  }

  #down(event) {
    if (event.defaultPrevented || event.isComposing || !(event.target instanceof Element)) return;
    const field = event.target.closest(WRITING);
    if (field) return this.#writing(event, field);
    if (!this.on || event.ctrlKey || event.metaKey || event.altKey) return undefined;
    const key = plain(event);
    const over = document.querySelector("dialog[open], [popover]:popover-open");
    if (over && !(over.dataset.ownKeys ?? "").split(" ").includes(key)) return over.dataset.openedBy === key && !event.repeat ? this.#close(event, over) : undefined;
    if (this.wordmode.isOn && this.wordmode.key(event)) return event.preventDefault();
    if (event.shiftKey && key.startsWith("arrow")) return undefined; // scrolls the document
    if (event.target.matches("[type=range]") && MOVES_SLIDER.test(key)) return undefined;
    if (this.page.form.inert && !READING.has(key)) return undefined; // what it answered would be lost
    if (event.repeat && !REPEATABLE.has(key)) return undefined;
    if (key === "enter" && event.target.closest(OWN_ENTER)) return undefined;
    const shifted = event.shiftKey && this.acts[`shift+${key}`];
    if (shifted) shifted();
    else if (this.acts[key]) this.acts[key]();
    else if (!this.questions.press(key)) return undefined;
    return event.preventDefault();
  }

  // The key that opened a dialog closes it; the browser returns the focus.
  #close(event, over) {
    event.preventDefault();
    if (over.matches("dialog")) over.close();
    else over.hidePopover();
  }

  #writing(event, field) {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      field.form?.requestSubmit();
    } else if (event.key === "Escape" && field.form === this.page.form) {
      field.blur();
    }
  }
}

// The Latin letter or digit on the pressed key, also on keyboards for other scripts.
function plain(event) {
  if (event.key.length > 1 || /^[\x20-\x7e]$/.test(event.key)) return event.key.toLowerCase();
  return event.code.replace(/^(Key|Digit|Numpad)/, "").toLowerCase();
}
