// Errors that the server found go away when their cause does: beside the question, in the message, for screen readers.

import { ngettext } from "../gettext.js";
import { isAnswered, lacksMarks } from "./completeness.js";
import { countWords } from "./words.js";

export class Errors {
  constructor(page) {
    this.page = page;
    for (const type of ["input", "change"]) page.on(page.root, type, ({ target }) => this.#changed(target));
  }

  #changed(control) {
    const question = control.closest(".question.has-error");
    if (!question) return this.#changedElsewhere(control);
    const all = [...this.page.form.querySelectorAll(".question.has-error")];
    const group = all.filter((one) => nameOf(one) === nameOf(question)); // the same question about other outputs
    group.filter(isFixed).forEach((one) => this.#clear(one.querySelector(".field-error"), one));
    return this.#count();
  }

  // A field that is outside its question, or has an error without one.
  #changedElsewhere(control) {
    const error = (control.getAttribute("aria-describedby") ?? "").split(/\s+/).find((id) => id.endsWith("-error"));
    const node = error && this.page.root.querySelector(`#${error}`);
    if (node && control.value.trim()) this.#clear(node, node.closest(".question"));
  }

  // The room of the text is kept: what is below it is being answered.
  #clear(error, question) {
    error?.classList.add("is-gone");
    question?.classList.remove("has-error");
    const described = error ? this.page.root.querySelectorAll(`[aria-describedby~="${error.id}"]`) : [];
    for (const node of described) {
      node.setAttribute("aria-describedby", node.getAttribute("aria-describedby").replace(error.id, "").trim());
      node.classList.remove("has-error");
      node.removeAttribute("aria-invalid");
    }
    for (const node of question?.querySelectorAll("[aria-invalid]") ?? []) node.removeAttribute("aria-invalid");
  }

  #count() {
    const shown = this.page.root.querySelector("#message").textContent.trim();
    const counted = this.page.root.querySelector("[data-counted]")?.textContent.trim();
    if (!shown || ![counted, this.said].includes(shown)) return; // it says something else
    const left = new Set([...this.page.form.querySelectorAll(".question.has-error")].map(nameOf)).size;
    this.said = left ? ngettext("%(n)s question still needs an answer. Your draft is saved.", "%(n)s questions still need an answer. Your draft is saved.", left) : "";
    this.page.message(this.said);
  }
}

// The control to go to on what is visible: in the first question with an error, the first that lacks an answer.
export function firstUnfixed(root) {
  const wrong = [...root.querySelectorAll(".question.has-error")].filter((question) => question.checkVisibility());
  const question = wrong.find((one) => !isAnswered(one)) ?? wrong[0];
  const controls = [...(question?.querySelectorAll("textarea, .chip, input, button") ?? [])];
  const able = controls.filter((node) => node.checkVisibility() && !node.disabled);
  return able.find((node) => node.matches("[data-free]") && lacksMarks(node)) ?? able[0];
}

function isFixed(question) {
  const most = Number(question.dataset.maxWords) || Infinity;
  const text = question.querySelector("textarea");
  return isAnswered(question) && (!text || countWords(text.value) <= most);
}

// The name of a question's field, without the letter of the output that it is about.
function nameOf(question) {
  const { name = question.id } = question.dataset;
  return question.querySelector(".question-output") ? name.replace(/-[A-Z]{1,2}$/, "") : name;
}
