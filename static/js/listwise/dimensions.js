// The study's questions as tabs, each with its state in a word: what is done, what is begun, what is open.

export class Dimensions {
  constructor(page, stateOf) {
    Object.assign(this, { page, stateOf, at: 0, listeners: [] });
    page.on(page.form, "click", (event) => this.#click(event));
    page.on(page.form, "keydown", (event) => this.#arrows(event));
    for (const kind of ["input", "change"]) page.on(page.form, kind, () => this.refresh());
    this.begin();
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

  // The questions are new, as after an answer that was not accepted: go to the first that shows an error.
  begin() {
    for (const panel of this.panels) panel.setAttribute("role", "tabpanel");
    const wrong = this.panels.findIndex((panel) => panel.querySelector(".has-error"));
    this.show(wrong >= 0 ? wrong : Math.min(this.at, this.panels.length - 1));
    return wrong >= 0;
  }

  show(at, focus = false) {
    this.at = (at + this.tabs.length) % this.tabs.length;
    this.tabs.forEach((tab, place) => {
      tab.setAttribute("aria-selected", String(place === this.at));
      tab.tabIndex = place === this.at ? 0 : -1;
    });
    this.panels.forEach((panel, place) => (panel.hidden = place !== this.at));
    if (focus) this.tabs[this.at].focus();
    this.tabs[this.at].scrollIntoView({ block: "nearest", inline: "nearest" });
    this.refresh();
    this.listeners.forEach((listener) => listener(this.panel));
  }

  step(by) {
    this.show(this.at + by);
    this.page.announce(this.tabs[this.at].textContent.replace(/\s+/g, " ").trim());
  }

  refresh() {
    this.tabs.forEach((tab, place) => {
      const panel = this.panels[place];
      const { kind, word } = this.stateOf(panel);
      const wrong = panel.querySelector(".has-error") !== null && kind !== "done";
      tab.dataset.kind = wrong ? "wrong" : kind;
      const text = wrong ? "needs you" : word;
      const state = tab.querySelector("[data-state]");
      if (state.textContent !== text) state.textContent = text;
    });
  }

  #click(event) {
    const tab = event.target.closest(".dimension");
    if (tab) this.show(this.tabs.indexOf(tab));
    const step = event.target.closest("[data-step]");
    if (step) this.step(Number(step.dataset.step));
  }

  #arrows(event) {
    const place = this.tabs.indexOf(event.target);
    const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    if (place < 0 || !by) return;
    event.preventDefault();
    this.show(place + by, true);
  }
}
