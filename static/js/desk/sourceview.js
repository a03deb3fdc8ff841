// Markdown is shown formatted. Its source, in which words are marked and found, is hidden: a key or a button shows
// it, and so does a mark.

import { remember, remembered } from "./switches.js";

const SWITCH = "source";

export class SourceView {
  constructor(page) {
    this.page = page;
    this.button = page.root.querySelector("#source");
    if (!this.button) return;
    page.on(this.button, "click", () => this.show(this.button.getAttribute("aria-pressed") !== "true"));
    page.on(page.root, "desk:marked", () => this.show(true));
    this.show(remembered(SWITCH) || Boolean(page.form.querySelector("[data-spans-field]")));
  }

  show(on) {
    this.button.setAttribute("aria-pressed", String(on));
    this.page.root.classList.toggle("shows-source", on);
    remember(SWITCH, on);
  }

  acts() {
    return this.button ? { q: () => this.button.click() } : {};
  }
}
