// Questions are answered in any order. If a study's `when` says so, one is asked only after a certain answer; its place
// does not change, and it can always be read.

import { gettext } from "../gettext.js";
import { isAnswered } from "./completeness.js";
import { wording } from "./page.js";

export class Questions {
  constructor(page) {
    Object.assign(this, { page, explained: false });
    page.on(page.form, "change", (event) => {
      this.open();
      this.#reveal(event.target.closest(".question"));
    });
    page.on(page.form, "input", () => this.open());
    page.on(page.form, "desk:filled", () => this.open());
    this.open();
  }

  get #all() {
    return [...this.page.form.querySelectorAll(".question")];
  }

  open() {
    for (const question of this.#all) question.disabled = !this.#isAsked(question);
    if (this.explained) this.page.message("");
    this.explained = false;
  }

  #isAsked(question) {
    if (!question.dataset.when) return true;
    const wanted = { True: "true", False: "false" }[question.dataset.equals] ?? question.dataset.equals;
    return new FormData(this.page.form).getAll(question.dataset.when).includes(wanted);
  }

  // Make the choice for `key` in the focused question, else in the first open one without an answer, else in the
  // last one that has this key. Focus stays where it is, so that arrows keep scrolling the text.
  press(key) {
    const having = this.#all.filter((question) => question.checkVisibility() && choice(question, key));
    const able = having.filter((question) => !question.disabled);
    const focused = able.find((question) => question.contains(document.activeElement));
    // Arrows move within a focused group of choices that does not use them as keys.
    if (!focused && key.startsWith("arrow") && document.activeElement.matches("input[type=radio]")) return false;
    const stays = focused && choice(focused, key).type !== "range"; // a slider's key goes on to the next slider
    const question = (stays && focused) || next(able, focused, (one) => !isAnswered(one)) || next(able, focused) || able.at(-1);
    if (!question) return having.length > 0 && this.#explain(having[0]);
    const input = choice(question, key);
    if (input.type === "range") return input.focus() ?? true;
    if (input.type === "button") return input.click() ?? true;
    input.checked = input.type === "checkbox" ? !input.checked : true;
    input.dispatchEvent(new Event("input", { bubbles: true }));
    input.dispatchEvent(new Event("change", { bubbles: true }));
    this.page.announce(wording(input.closest("label")));
    return true;
  }

  // Why a question takes no answer now.
  #explain(question) {
    const condition = this.#all.find((one) => one.dataset.name === question.dataset.when);
    const open = condition && !condition.disabled && !isAnswered(condition);
    this.page.message(open ? gettext("Answer question %(number)s first.", { number: number(condition) }) : gettext("Question %(number)s is not asked after this answer.", { number: number(question) }));
    return (this.explained = true);
  }

  comment() {
    this.page.form.querySelector(".question:not(:disabled) textarea")?.focus();
  }

  // On a small screen the next question without an answer may be beyond the edge of the dock.
  #reveal(changed) {
    const open = this.#all.filter((question) => !question.disabled && question !== changed && !isAnswered(question));
    const after = open.find((question) => changed && changed.compareDocumentPosition(question) & Node.DOCUMENT_POSITION_FOLLOWING);
    if (this.page.form.scrollHeight > this.page.form.clientHeight) (after ?? open[0])?.scrollIntoView({ block: "nearest" });
  }
}

function choice(question, key) {
  return [...question.querySelectorAll("[data-choice-key]")].find((input) => input.dataset.choiceKey === key);
}

// The first of these questions after the focused one for which `fits`; without a focused one, of all.
function next(questions, focused, fits = () => focused) {
  const at = questions.indexOf(focused) + 1;
  return [...questions.slice(at), ...questions.slice(0, Math.max(0, at - 1))].find(fits);
}

function number(question) {
  return question.querySelector(".question-number").textContent;
}
