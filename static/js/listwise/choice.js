// The output that the next key applies to: chosen by its letter, its chip or its card's letter.

import { gettext } from "../gettext.js";

export class Choice {
  constructor(page, outputs) {
    Object.assign(this, { page, letter: null, listeners: [] });
    this.cards = new Map(outputs.map((text) => [text.letter, text.card]));
    for (const [letter, card] of this.cards) page.on(card.querySelector(".card-name"), "click", () => this.toggle(letter));
  }

  get letters() {
    return [...this.cards.keys()];
  }

  changed(listener) {
    this.listeners.push(listener);
  }

  toggle(letter) {
    this.set(this.letter === letter ? null : letter);
  }

  // By its key: scroll the card into view.
  choose(letter, hint = "") {
    this.set(letter);
    this.cards.get(letter).scrollIntoView({ block: "nearest" });
    this.page.announce(`${gettext("Output %(letter)s.", { letter })} ${hint}`);
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
