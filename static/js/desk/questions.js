// Questions open one after the other: a required one when those before it are answered, a conditional one when its
// condition holds. They stay in their places and can be read all the time. Where the page says so ([data-any-order]),
// only conditions count.

import { wording } from "./page.js";

export class Questions {
  constructor(page) {
    this.page = page;
    page.on(page.form, "change", () => {
      this.open();
      this.#reveal();
    });
    page.on(page.form, "input", () => this.open());
    page.on(page.form, "desk:filled", () => this.open());
    this.open();
  }

  get #all() {
    return [...this.page.form.querySelectorAll(".question")];
  }

  get #anyOrder() {
    return this.page.form.querySelector("[data-any-order]") !== null;
  }

  open() {
    const free = this.#anyOrder;
    let blocked = false;
    for (const question of this.#all) {
      const required = question.dataset.required === "yes";
      const asked = this.#isAsked(question);
      question.disabled = !asked || (blocked && required);
      if (!free && required && asked && !isAnswered(question)) blocked = true;
    }
  }

  #isAsked(question) {
    if (!question.dataset.when) return true;
    const wanted = { True: "true", False: "false" }[question.dataset.equals] ?? question.dataset.equals;
    return new FormData(this.page.form).getAll(question.dataset.when).includes(wanted);
  }

  // Choose what `key` stands for: in the question that has the focus, else in the first open one without an answer,
  // else in the last one that knows the key. The focus stays where it is, so that arrows go on scrolling the text.
  press(key) {
    const able = this.#all.filter((question) => !question.disabled && question.checkVisibility() && choice(question, key));
    const focused = able.find((question) => question.contains(document.activeElement));
    // Arrows move within a group of choices that has the focus and does not know them.
    if (!focused && key.startsWith("arrow") && document.activeElement.matches("input[type=radio]")) return false;
    const question = focused ?? able.find((one) => !isAnswered(one)) ?? able.at(-1);
    if (!question) return false;
    const input = choice(question, key);
    input.checked = input.type === "checkbox" ? !input.checked : true;
    input.dispatchEvent(new Event("input", { bubbles: true }));
    input.dispatchEvent(new Event("change", { bubbles: true }));
    this.page.announce(wording(input.closest("label")));
    return true;
  }

  comment() {
    this.page.form.querySelector(".question:not(:disabled) textarea")?.focus();
  }

  // On a small screen the next question may lie below the edge of the dock.
  #reveal() {
    if (this.#anyOrder) return;
    const next = this.#all.find((question) => !question.disabled && !isAnswered(question));
    if (next && this.page.form.scrollHeight > this.page.form.clientHeight) next.scrollIntoView({ block: "nearest" });
  }
}

function choice(question, key) {
  return [...question.querySelectorAll("[data-choice-key]")].find((input) => input.dataset.choiceKey === key);
}

function isAnswered(question) {
  const text = question.querySelector("textarea");
  return text ? text.value.trim() !== "" : question.querySelector(":checked") !== null;
}
