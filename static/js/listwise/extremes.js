// Questions for the best and the worst output: two rows of letters. No output can be both.

import { gettext } from "../gettext.js";

const SIDES = ["best", "worst"];

const sideName = (side) => (side === "best" ? gettext("best") : gettext("worst"));

export class Extremes {
  constructor(page, choice) {
    Object.assign(this, { page, choice, current: null });
    // Before all others that read the form.
    page.on(page.form, "input", ({ target }) => target.matches("[data-extreme]") && this.#apart(target), { capture: true });
    page.on(page.form, "change", () => this.tell());
  }

  show(panel) {
    this.current = panel.querySelector(".question.best-worst");
    this.tell();
  }

  // What each card's output is called in the visible question.
  tell() {
    if (!this.current) return;
    for (const [letter, card] of this.choice.cards) {
      const chosen = this.#radios().find((one) => one.checked && one.value === letter);
      card.querySelector("[data-rank]").textContent = chosen ? sideName(chosen.dataset.extreme) : "";
    }
  }

  // An output that becomes the best is no longer the worst, and the other way round.
  #apart(radio) {
    const question = radio.closest(".question");
    const other = this.#radios(question).find((one) => one.checked && one !== radio && one.value === radio.value);
    if (other) other.checked = false;
    const left = SIDES.filter((side) => !this.#radios(question).some((one) => one.checked && one.dataset.extreme === side));
    const rest = !left.length ? gettext("Both are chosen.") : left[0] === "best" ? gettext("Choose the best, too.") : gettext("Choose the worst, too.");
    const letter = radio.value;
    const is = radio.dataset.extreme === "best" ? gettext("%(letter)s is the best.", { letter }) : gettext("%(letter)s is the worst.", { letter });
    const said = `${is} ${rest}`;
    question.querySelector("[data-said]").textContent = said;
    this.page.announce(said);
  }

  #radios(question = this.current) {
    return [...question.querySelectorAll("[data-extreme]")];
  }

  // Answer keys: 1 makes the chosen output the best, 2 the worst; in other questions they mean what they always do.
  answering(questions) {
    const press = (key) => {
      const side = SIDES[Number(key) - 1];
      if (!this.current || !side) return questions.press(key);
      if (this.choice.letter === null) return this.page.announce(gettext("Press an output's letter first, then 1 or 2.")) ?? true;
      return this.put(this.choice.letter, side);
    };
    return { press, comment: () => questions.comment() };
  }

  // Up makes the chosen output the best, down the worst; false if there is none.
  move(by) {
    const { letter } = this.choice;
    return this.current !== null && letter !== null && this.put(letter, by < 0 ? "best" : "worst");
  }

  put(letter, side) {
    if (this.current.disabled) return false;
    this.choice.set(null);
    const radio = this.#radios().find((one) => one.dataset.extreme === side && one.value === letter);
    if (!radio.checked) radio.click();
    return true;
  }
}
