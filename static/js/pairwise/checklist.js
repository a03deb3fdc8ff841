// The guidelines' checklist beside the texts, and their worked examples in a dialog.

import { remember, remembered } from "../desk/switches.js";

const SWITCH = "desk-checklist";

export class Checklist {
  constructor(page, effort) {
    Object.assign(this, { page, effort });
    this.button = page.root.querySelector("#checklist-button");
    this.panel = page.root.querySelector("#checklist");
    this.cases = page.root.querySelector("#examples");
    if (this.isThere) {
      page.on(this.button, "click", () => this.toggle());
      page.on(page.root.querySelector("#checklist-close"), "click", () => {
        this.toggle();
        this.button.focus();
      });
      this.#set(remembered(SWITCH));
    }
    if (this.hasExamples) page.on(this.cases, "toggle", (event) => event.newState === "open" && effort.used("examples"));
  }

  get isThere() {
    return this.panel !== null;
  }

  get hasExamples() {
    return this.cases !== null;
  }

  toggle() {
    this.#set(!this.open);
    remember(SWITCH, this.open);
    if (this.open) this.effort.used("checklist");
  }

  #set(on) {
    this.open = on;
    this.button.setAttribute("aria-expanded", String(on));
    this.page.root.querySelector("#main").classList.toggle("with-checklist", on);
  }

  examples() {
    this.cases.showPopover();
  }
}
