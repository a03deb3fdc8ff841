// Fits the questions into their dock: first help takes one line each, then scales show their numbers and the text of
// the chosen or hovered step. Decided once per task and window size, so that nothing moves while somebody answers.
// Tells the styles how high the actions are, whose words take two lines in some languages.

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
    classList.remove("is-tight", "is-compact");
    for (const name of ["is-tight", "is-compact"]) if (this.#overflows) classList.add(name);
    const actions = this.root.querySelector(".desk-actions");
    if (actions) this.root.style.setProperty("--actions", `${actions.offsetHeight}px`);
  }

  get #overflows() {
    return this.dock.scrollHeight > this.dock.clientHeight + 1;
  }
}
