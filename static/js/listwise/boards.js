// The boards of all ranking questions, and keys and clicks for the visible one.

import { gettext } from "../gettext.js";
import { Board } from "./board.js";
import { Dragging } from "./dragging.js";
import { element } from "./elements.js";
import { offerNumbers, showKept } from "./numbers.js";

export class Boards {
  constructor(page, choice, effort) {
    Object.assign(this, { page, choice, effort, current: null, all: [] });
    new Dragging(page, choice, (node) => this.all.find((board) => board.node === node.closest("[data-board]")));
    page.on(page.form, "click", (event) => event.target.closest("[data-copy]") && this.copy());
    page.on(page.form, "change", () => this.tell());
    choice.changed(() => this.current?.draw()); // rows are buttons while a letter waits for one
    page.on(page.form, "keydown", ({ key, target }) => key === "Escape" && target.matches("[data-put]") && choice.drop());
    offerNumbers(page, this);
  }

  // At the beginning, and when the questions were replaced.
  rebuild() {
    const fieldsets = [...this.page.form.querySelectorAll(".question:has([data-board])")];
    this.all = fieldsets.map((fieldset) => new Board(this.page, fieldset, () => this.choice.letter));
    for (const board of this.all.slice(1)) this.#offer(board);
    showKept(this.all);
  }

  show(panel) {
    this.current = this.all.find((board) => panel.contains(board.fieldset)) ?? null;
    this.current?.draw();
    this.tell();
  }

  // Each card's rank in the visible question.
  tell() {
    const ranks = this.current?.ranks ?? {};
    for (const [letter, card] of this.choice.cards) {
      card.querySelector("[data-rank]").textContent = !this.current ? "" : ranks[letter] ? gettext("row %(row)s", { row: ranks[letter] }) : gettext("unranked");
    }
  }

  #offer(board) {
    if (board.fieldset.querySelector("[data-copy]")) return;
    const name = this.all[0].fieldset.querySelector(".question-text bdi").textContent;
    const button = element("button", "button quiet copy-ranks", { copy: "" }, `${gettext("Copy from “%(name)s”", { name })} `);
    const key = element("kbd", "", { key: "o" }, "O");
    key.ariaHidden = "true";
    button.type = "button";
    button.append(key);
    board.fieldset.querySelector(".by-number-line").prepend(button);
  }

  copy() {
    if (!this.current || this.current === this.all[0]) return;
    const { ranks } = this.all[0];
    if (!Object.keys(ranks).length) return this.page.announce(gettext("The first question has no ranks yet."));
    this.effort.used("copied_ranks");
    this.current.set(ranks);
  }

  // Answer keys: a digit puts the chosen output into a row of the visible board; otherwise it belongs to a question.
  answering(questions, dimensions) {
    return {
      press: (key) => {
        if (!this.current || !/^[0-9]$/.test(key)) return questions.press(key);
        const { letter } = this.choice;
        if (letter === null) return this.page.announce(gettext("Press an output's letter first, then its row.")) ?? true;
        this.choice.set(null);
        this.current.put(letter, Number(key) || 10);
        return true;
      },
      comment: () => {
        const at = dimensions.panels.findIndex((panel) => panel.querySelector("textarea"));
        if (at < 0) return;
        dimensions.show(at);
        dimensions.panel.querySelector("textarea").focus();
      },
    };
  }

  // A key that moves the chosen output on the visible board; false if there is none.
  move(act) {
    const { letter } = this.choice;
    if (!this.current || letter === null) return false;
    act(this.current, letter);
    return true;
  }
}
