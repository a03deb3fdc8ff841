// The output that the next key applies to: chosen by its letter, its chip or its card's letter.

import { gettext } from "../gettext.js";

export class Choice {
  constructor(page, outputs) {
    Object.assign(this, { page, letter: null, listeners: [], hint: () => "" });
    this.cards = new Map(outputs.map((text) => [text.letter, text.card]));
    for (const [letter, card] of this.cards) page.on(card.querySelector(".card-name"), "click", () => this.toggle(letter));
  }

  get letters() {
    return [...this.cards.keys()];
  }

  changed(listener) {
    this.listeners.push(listener);
  }

  // By a click or Enter on its chip or its card's letter.
  toggle(letter) {
    if (this.letter === letter) this.drop();
    else this.#announced(letter);
  }

  // By its key: scroll the card into view.
  choose(letter) {
    this.#announced(letter);
    this.cards.get(letter).scrollIntoView({ block: "nearest" });
  }

  // `hint` says what can be done with it, and by which keys.
  #announced(letter) {
    this.set(letter);
    this.page.announce(`${gettext("Output %(letter)s.", { letter })} ${this.hint()}`.trim());
  }

  drop() {
    const { letter } = this;
    this.set(null);
    if (letter !== null) this.page.announce(gettext("Output %(letter)s is no longer chosen.", { letter }));
  }

  set(letter) {
    this.letter = letter;
    for (const [one, card] of this.cards) card.classList.toggle("is-chosen", one === letter);
    for (const chip of this.page.form.querySelectorAll("[data-chip]")) {
      chip.setAttribute("aria-pressed", String(chip.dataset.chip === letter));
    }
    this.listeners.forEach((listener) => listener(letter));
  }
}
