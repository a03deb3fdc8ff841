// The study's questions as tabs, each with its state in a word: done, partial or open.

import { readingDirection } from "../direction.js";
import { gettext } from "../gettext.js";

export class Dimensions {
  constructor(page, stateOf) {
    Object.assign(this, { page, stateOf, at: 0, listeners: [] });
    page.on(page.form, "click", (event) => this.#click(event));
    page.on(page.form, "keydown", (event) => this.#arrows(event));
    for (const kind of ["input", "change"]) page.on(page.form, kind, (event) => this.refresh(event));
  }

  get tabs() {
    return [...this.page.form.querySelectorAll(".dimension")];
  }

  get panels() {
    return [...this.page.form.querySelectorAll("[data-panel]")];
  }

  get panel() {
    return this.panels[this.at];
  }

  changed(listener) {
    this.listeners.push(listener);
  }

  // At the beginning, and when the questions were replaced, as after a refused answer: go to the first with an error.
  begin() {
    for (const panel of this.panels) panel.setAttribute("role", "tabpanel");
    const wrong = this.panels.findIndex((panel) => panel.querySelector(".has-error"));
    this.show(wrong >= 0 ? wrong : Math.min(this.at, this.panels.length - 1));
  }

  show(at, focus = false) {
    if (this.isShown) this.page.form.scrollTop = 0; // a question begins at its top, also after a longer one
    this.isShown = true;
    this.at = (at + this.tabs.length) % this.tabs.length;
    this.tabs.forEach((tab, place) => {
      tab.setAttribute("aria-selected", String(place === this.at));
      tab.tabIndex = place === this.at ? 0 : -1;
    });
    this.panels.forEach((panel, place) => (panel.hidden = place !== this.at));
    if (focus) this.tabs[this.at].focus();
    this.page.beforePaint(() => this.#reveal(this.tabs[this.at]));
    this.refresh();
    this.listeners.forEach((listener) => listener(this.panel));
  }

  step(by) {
    this.show(this.at + by);
    this.page.announce(this.tabs[this.at].textContent.replace(/\s+/g, " ").trim());
  }

  // When an answer completes the visible question, the next one that is not done is shown.
  refresh(event) {
    const before = this.tabs[this.at].dataset.kind;
    const ends = event?.type === "input" && event.target.matches("[type=radio], [type=checkbox], [data-rank-of]") && !event.detail?.stay;
    this.tabs.forEach((tab, place) => {
      const panel = this.panels[place];
      const { kind, word } = this.stateOf(panel);
      const wrong = panel.querySelector(".has-error") !== null && kind !== "done";
      tab.dataset.kind = wrong ? "wrong" : kind;
      const text = wrong ? gettext("missing") : word;
      const state = tab.querySelector("[data-state]");
      if (state.textContent !== text) state.textContent = text;
    });
    if (ends && before !== "done" && this.tabs[this.at].dataset.kind === "done") queueMicrotask(() => this.#next());
  }

  #next() {
    const order = this.tabs.map((_, step) => (this.at + step + 1) % this.tabs.length);
    const next = order.find((place) => this.tabs[place].dataset.kind !== "done");
    if (next === undefined) return this.page.announce(gettext("All questions are answered."));
    const said = this.panel.querySelector("[data-said]")?.textContent ?? gettext("Done.");
    this.show(next, this.panel.contains(document.activeElement));
    const question = this.tabs[next].textContent.replace(/\s+/g, " ").trim();
    return this.page.announce(`${said} ${gettext("Next: %(question)s", { question })}`);
  }

  // On small screens the tabs are one row, which scrolls; the page must not.
  #reveal(tab) {
    const row = tab.parentElement;
    const [box, view] = [tab, row].map((node) => node.getBoundingClientRect());
    if (box.left < view.left) row.scrollLeft += box.left - view.left;
    else if (box.right > view.right) row.scrollLeft += box.right - view.right;
  }

  #click(event) {
    const tab = event.target.closest(".dimension");
    if (tab) this.show(this.tabs.indexOf(tab));
    const step = event.target.closest("[data-step]");
    if (step) this.step(Number(step.dataset.step));
  }

  #arrows(event) {
    const place = this.tabs.indexOf(event.target);
    const by = { ArrowLeft: -readingDirection(), ArrowUp: -1, ArrowRight: readingDirection(), ArrowDown: 1 }[event.key];
    if (place < 0 || !by) return;
    event.preventDefault();
    this.show(place + by, true);
  }
}
