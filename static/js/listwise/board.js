// A tier board for the number fields of one question: rows from 1, with the outputs' letters as chips.

import { gettext } from "../gettext.js";
import { element, putButton } from "./elements.js";
import { between, closed, isComplete, placed, stepped, without } from "./ranking.js";

export class Board {
  constructor(page, fieldset, chosen) {
    Object.assign(this, { page, fieldset, chosen });
    this.node = fieldset.querySelector("[data-board]");
    this.fields = new Map([...fieldset.querySelectorAll("[data-rank-of]")].map((field) => [field.dataset.rankOf, field]));
    this.letters = [...this.fields.keys()];
    this.options = { ties: fieldset.dataset.ties === "yes", rows: Number(fieldset.dataset.tiers) };
    this.draw();
  }

  get ranks() {
    const given = this.letters.map((letter) => [letter, Number(this.fields.get(letter).value)]);
    return Object.fromEntries(given.filter(([, rank]) => Number.isInteger(rank) && rank > 0));
  }

  get isComplete() {
    return isComplete(this.ranks, this.letters);
  }

  put(letter, row, stay = false) {
    if (!Number.isInteger(row) || row < 1 || row > this.options.rows) return this.#say(gettext("Choose a row from 1 to %(rows)s.", { rows: this.options.rows }));
    return this.set(placed(this.ranks, letter, row, this.options), letter, stay);
  }

  insert(letter, row) {
    this.set(between(this.ranks, letter, row, this.options), letter, false);
  }

  step(letter, by) {
    this.set(stepped(this.ranks, letter, by, this.options), letter);
  }

  remove(letter) {
    this.set(without(this.ranks, letter), letter);
  }

  // Adopt `ranks`; when all outputs have one, empty rows close up. `stay`: more changes may follow, so the board stays.
  set(ranks, letter, stay = true) {
    if (!ranks) return this.#say(gettext("No row is left for that."));
    const full = isComplete(ranks, this.letters);
    const kept = full ? closed(ranks) : ranks;
    const gaps = JSON.stringify(kept) !== JSON.stringify(ranks);
    for (const [one, field] of this.fields) field.value = kept[one] ?? "";
    const field = this.fields.get(letter ?? this.letters[0]);
    field.dispatchEvent(new CustomEvent("input", { bubbles: true, detail: { stay } }));
    field.dispatchEvent(new Event("change", { bubbles: true }));
    this.draw();
    const placedAt = letter && this.#placedAt(kept, letter);
    const left = this.letters.filter((one) => !kept[one]);
    const rest = left.length ? gettext("%(letters)s left.", { letters: left.join(", ") }) : gettext("All ranked.");
    return this.#say(`${placedAt ?? gettext("Ranks copied.")}${gaps ? ` ${gettext("Empty rows closed up.")}` : ""} ${rest}`);
  }

  #placedAt(ranks, letter) {
    const row = ranks[letter];
    if (!row) return gettext("%(letter)s: unranked.", { letter });
    const tied = this.letters.filter((one) => one !== letter && ranks[one] === row);
    const others = tied.join(gettext(" and "));
    return tied.length ? gettext("%(letter)s: row %(row)s, tied with %(others)s.", { letter, row, others }) : gettext("%(letter)s: row %(row)s.", { letter, row });
  }

  #say(text) {
    this.said = text;
    this.node.querySelector("[data-said]").textContent = text;
    this.page.announce(text);
  }

  draw() {
    const { ranks } = this;
    const rows = element("div", "tiers");
    for (let row = 1; row <= this.options.rows; row++) {
      rows.append(this.#gap(row), this.#row(row, this.letters.filter((letter) => ranks[letter] === row)));
    }
    rows.append(this.#gap(this.options.rows + 1));
    const left = this.letters.filter((letter) => !ranks[letter]);
    const pool = element("div", "pool", { pool: "" });
    pool.append(...left.map((letter) => this.#chip(letter)));
    if (!left.length) pool.append(element("span", "pool-empty", {}, gettext("All ranked.")));
    if (this.#held && ranks[this.#held]) pool.append(putButton(this.#held, 0));
    const focused = this.node.contains(document.activeElement) ? document.activeElement.dataset : {};
    const said = element("p", "board-said", { said: "" }, this.said ?? "");
    this.node.replaceChildren(pool, rows, said);
    this.#refocus(focused);
  }

  // The letter that is waiting for its row, of which each row then has a button.
  get #held() {
    return this.letters.find((letter) => letter === this.chosen());
  }

  // Keep the focus on its letter or row. A row's button that is gone leads to the letter that was put there.
  #refocus({ chip, put, of }) {
    const place = put && this.node.querySelector(`[data-put="${put}"]`);
    const letter = this.node.querySelector(`[data-chip="${chip ?? of}"]`);
    (place || letter)?.focus({ preventScroll: true });
  }

  // By keyboard: from a letter that was just chosen to the rows.
  toRows() {
    const row = this.ranks[this.#held] ?? 1;
    this.node.querySelector(`[data-put="${row}"]`)?.focus({ preventScroll: true });
  }

  // By keyboard: from the row in which a letter was put to the next letter without one.
  toLetters(letter) {
    const next = this.node.querySelector("[data-pool] [data-chip]") ?? this.node.querySelector(`[data-chip="${letter}"]`);
    next?.focus({ preventScroll: true });
  }

  #row(row, letters) {
    const node = element("div", "tier", { tier: String(row) });
    node.setAttribute("role", "group");
    node.setAttribute("aria-label", gettext("Row %(row)s: %(letters)s", { row, letters: letters.join(", ") || gettext("empty") }));
    const note = row === 1 ? gettext("best") : "";
    const number = this.#held ? putButton(this.#held, row, letters) : element("span", "tier-number", {}, String(row));
    node.append(number, ...letters.map((letter) => this.#chip(letter)));
    if (note) node.append(element("span", "tier-note", {}, note));
    if (letters.length > 1) node.append(element("span", "tier-note", {}, gettext("tie")));
    return node;
  }

  #gap(row) {
    return element("div", "tier-gap", { gap: String(row) });
  }

  #chip(letter) {
    const chip = element("button", "chip", { chip: letter }, letter);
    chip.type = "button";
    const rank = this.ranks[letter];
    chip.setAttribute("aria-label", `${letter}, ${rank ? gettext("row %(row)s", { row: rank }) : gettext("unranked")}`);
    chip.setAttribute("aria-pressed", String(this.chosen() === letter));
    if (this.#held && this.#held !== letter) chip.tabIndex = -1; // Tab goes from row to row
    return chip;
  }
}
