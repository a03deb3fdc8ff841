// The panes: behind tabs if the styles show tabs, each keeping its scroll position.

import { readingDirection } from "../direction.js";

const TWO = ["output", "document"];

export class Panes {
  constructor(page, names = TWO) {
    this.page = page;
    this.tabs = names.map((name) => page.root.querySelector(`#tab-${name}`)).filter(Boolean);
    for (const tab of this.tabs) page.on(tab, "click", () => this.open(tab));
    page.on(page.root, "keydown", (event) => this.#arrows(event));
    page.on(window, "resize", () => this.#roles());
    if (this.tabs.length) this.open(this.tabs[0]);
    page.beforePaint(() => this.#roles());
  }

  get areTabs() {
    return this.tabs.some((tab) => tab.checkVisibility());
  }

  pane(tab) {
    return this.page.root.querySelector(`#${tab.getAttribute("aria-controls")}`);
  }

  open(tab) {
    for (const one of this.tabs) {
      one.setAttribute("aria-selected", String(one === tab));
      one.tabIndex = one === tab ? 0 : -1;
      this.pane(one).classList.toggle("is-open", one === tab);
    }
  }

  show(name) {
    const tab = this.tabs.find((one) => one.id === `tab-${name}`);
    if (tab && this.areTabs) this.open(tab);
  }

  #roles() {
    for (const tab of this.tabs) {
      if (this.areTabs) this.pane(tab).setAttribute("role", "tabpanel");
      else this.pane(tab).removeAttribute("role");
    }
  }

  #arrows(event) {
    const place = this.tabs.indexOf(event.target);
    if (place < 0 || !["ArrowLeft", "ArrowRight"].includes(event.key)) return;
    const next = this.tabs.at((place + (event.key === "ArrowRight" ? 1 : -1) * readingDirection()) % this.tabs.length);
    event.preventDefault();
    this.open(next);
    next.focus();
  }
}
