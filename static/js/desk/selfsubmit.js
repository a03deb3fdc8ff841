// For people who chose it: a new task is submitted a second after the choice that answers all that is required.

import { gettext } from "../gettext.js";

const PAUSE = 1_000;
const WAITING = gettext("Submitting… Press Esc or tap to stay.");

export class SelfSubmit {
  constructor(page) {
    if (!("submitsItself" in page.root.dataset)) return;
    this.page = page;
    this.moved = false;
    page.on(document, "keydown", (event) => this.#key(event), { capture: true });
    page.on(document, "pointerdown", () => this.#stop(), { capture: true });
    page.on(page.root, "focusin", (event) => event.target.matches("textarea, select") && this.#stop());
    page.on(page.root, "submit", () => this.#stop());
    page.on(page.form, "change", (event) => this.#changed(event));
    page.signal.addEventListener("abort", () => clearTimeout(this.timer));
  }

  // Arrows that move through a group of choices pass over answers that are not meant.
  #key(event) {
    this.moved = event.key.startsWith("Arrow") && event.target.matches?.("input[type=radio]");
    if (this.timer && event.key === "Escape") event.preventDefault();
    this.#stop();
  }

  #changed(event) {
    this.#stop();
    if (event.target.type !== "radio" || (this.moved && event.isTrusted)) return;
    if (this.page.revision > 0 || !isComplete(this.page.form)) return;
    this.page.message(WAITING);
    this.timer = setTimeout(() => {
      this.#stop();
      this.page.form.requestSubmit();
    }, PAUSE);
  }

  #stop() {
    if (!this.timer) return;
    clearTimeout(this.timer);
    this.timer = null;
    this.page.message("");
  }
}

// Rankings, sliders and marked spans are looked at as a whole before they are sent.
function isComplete(form) {
  if (form.querySelector(".question:is(.rank, .best-worst, .spans, .slider)")) return false;
  return [...form.querySelectorAll(".question")].every(
    (question) => question.disabled || question.dataset.required !== "yes" || isAnswered(question),
  );
}

function isAnswered(question) {
  const text = question.querySelector("textarea");
  return text ? text.value.trim() !== "" : question.querySelector(":checked") !== null;
}
