// Fits the questions into their dock. It takes the room that a short text above it leaves; if that is not enough, gaps
// and letters become smaller, and the rest is scrolled to. Nothing is hidden. Decided once per task and window size, so
// that nothing moves while somebody answers. Tells the styles how high the actions are, whose words take two lines in
// some languages.

const READ = ".pane-scroll, .pair-scroll, .answer-scroll";

export class Fit {
  constructor(page) {
    this.dock = page.form.closest(".dock") ?? page.form;
    this.root = page.root;
    page.on(window, "resize", () => this.fit());
    page.on(page.form, "desk:filled", () => this.fit());
    // A key may answer a question that is out of view.
    page.on(page.form, "change", ({ target }) => target.closest(".question")?.scrollIntoView({ block: "nearest" }));
    page.beforePaint(() => this.fit());
  }

  fit() {
    const { classList } = this.dock;
    const { style } = this.root;
    classList.remove("is-tight", "is-compact");
    style.removeProperty("--dock");
    if (this.#overflows) style.setProperty("--dock", `${this.dock.offsetHeight + this.#room()}px`);
    for (const name of ["is-tight", "is-compact"]) if (this.#overflows) classList.add(name);
    const actions = this.root.querySelector(".desk-actions");
    if (actions) this.root.style.setProperty("--actions", `${actions.offsetHeight}px`);
  }

  get #overflows() {
    return this.dock.scrollHeight > this.dock.clientHeight + 1;
  }

  // How much of what is read above the dock is empty.
  #room() {
    const dock = this.dock.getBoundingClientRect();
    const above = [...this.root.querySelectorAll(READ)].filter((pane) => {
      const { left, right, bottom } = pane.getBoundingClientRect();
      return pane.checkVisibility({ visibilityProperty: true }) && bottom <= dock.top + 1 && left < dock.right - 1 && right > dock.left + 1;
    });
    return above.length ? Math.max(0, Math.min(...above.map(empty))) : 0;
  }
}

function empty(pane) {
  const { top, bottom } = pane.getBoundingClientRect();
  const ends = [...pane.children].filter((one) => one.checkVisibility()).map((one) => one.getBoundingClientRect().bottom);
  return Math.floor(bottom - Math.max(top, ...ends) - parseFloat(getComputedStyle(pane).paddingBottom));
}
