// Sliders. The number field beside one holds its answer and stays empty until somebody sets a value.

import { gettext } from "../gettext.js";

const SPACE = " ";

export class Sliders {
  constructor(page) {
    this.page = page;
    // Before all others that read the form.
    for (const type of ["input", "change"]) page.on(page.form, type, (event) => this.#moved(event.target), { capture: true });
    page.on(page.form, "pointerup", ({ target }) => target.matches("[data-slide].is-unset") && this.#set(target, target.value));
    page.on(page.form, "keydown", (event) => this.#key(event));
    page.on(page.form, "click", ({ target }) => this.#point(target.closest("[data-point]")));
    page.on(page.form, "desk:filled", () => this.draw());
    this.draw();
  }

  draw() {
    for (const slide of this.page.form.querySelectorAll("[data-slide]")) show(slide);
  }

  #moved(control) {
    const question = control.closest(".slider");
    if (!question) return;
    const slide = slideOf(question);
    if (control === slide) numberOf(question).value = slide.value;
    show(slide);
  }

  // Space sets an untouched slider to the value on which it is.
  #key(event) {
    if (event.key !== SPACE || !event.target.matches("[data-slide]")) return;
    event.preventDefault();
    this.#set(event.target, event.target.value);
  }

  #point(button) {
    if (button) this.#set(slideOf(button.closest(".slider")), button.dataset.point);
  }

  #set(slide, value) {
    const field = numberOf(slide.closest(".slider"));
    if (slide.closest("fieldset").disabled) return;
    field.value = value;
    for (const type of ["input", "change"]) field.dispatchEvent(new Event(type, { bubbles: true }));
  }
}

function slideOf(question) {
  return question.querySelector("[data-slide]");
}

function numberOf(question) {
  return question.querySelector("[data-number]");
}

function show(slide) {
  const question = slide.closest(".slider");
  const { value } = numberOf(question);
  const isUnset = value === "";
  slide.classList.toggle("is-unset", isUnset);
  slide.value = isUnset ? (Number(slide.min) + Number(slide.max)) / 2 : value;
  const points = [...question.querySelectorAll("[data-point]")];
  for (const one of points) one.setAttribute("aria-pressed", String(!isUnset && Number(one.dataset.point) === Number(value)));
  const named = points.find((one) => one.ariaPressed === "true")?.querySelector("bdi").textContent;
  slide.setAttribute("aria-valuetext", isUnset ? gettext("not answered") : named ? `${value}, ${named}` : value);
}
