// Chips moved by pointer, also on touch screens: into a row, between two rows, or back to unranked. A press without a
// move chooses the chip; the next press on a row puts it there.

const FAR = 6;

export class Dragging {
  constructor(page, choice, boardOf) {
    Object.assign(this, { page, choice, boardOf, held: null });
    page.on(page.form, "pointerdown", (event) => this.#down(event));
    page.on(page.form, "pointermove", (event) => this.#move(event));
    page.on(page.form, "pointerup", (event) => this.#up(event));
    page.on(page.form, "pointercancel", () => this.#end());
    page.on(page.form, "click", (event) => this.#click(event));
  }

  #down(event) {
    const chip = event.target.closest("[data-chip]");
    if (!chip || event.button) return;
    this.held = { chip, x: event.clientX, y: event.clientY, moved: false };
    chip.setPointerCapture(event.pointerId);
  }

  #move(event) {
    const { held } = this;
    if (!held) return;
    const [x, y] = [event.clientX - held.x, event.clientY - held.y];
    if (!held.moved && Math.hypot(x, y) < FAR) return;
    held.moved = true;
    held.chip.classList.add("is-held");
    held.chip.style.translate = `${x}px ${y}px`;
    this.#over(this.#target(event));
  }

  #up(event) {
    const { held } = this;
    if (!held) return;
    const target = held.moved ? this.#target(event) : null;
    this.moved = held.moved; // the click that follows belongs to this drag
    this.#end();
    if (target) this.#drop(held.chip, target);
  }

  #end() {
    if (!this.held) return;
    this.held.chip.style.translate = "";
    this.held.chip.classList.remove("is-held");
    this.#over(null);
    this.held = null;
  }

  #target(event) {
    const under = document.elementsFromPoint(event.clientX, event.clientY);
    const board = this.held.chip.closest("[data-board]");
    const target = under.map((node) => node.closest("[data-tier], [data-gap], [data-pool]")).find(Boolean);
    return target && board.contains(target) ? target : null;
  }

  #over(target) {
    this.page.form.querySelector(".is-over")?.classList.remove("is-over");
    target?.classList.add("is-over");
  }

  #drop(chip, target) {
    this.#put(this.boardOf(chip), chip.dataset.chip, target.dataset);
  }

  #put(board, letter, { tier, gap }) {
    if (tier) board.put(letter, Number(tier));
    else if (gap) board.insert(letter, Number(gap));
    else board.remove(letter);
  }

  // A click without a place is Enter, Space or a screen reader: then the focus goes where the next step is.
  #click(event) {
    if (this.moved) {
      this.moved = false;
      return;
    }
    const chip = event.target.closest("[data-chip]");
    const row = event.target.closest("[data-tier], [data-gap], [data-pool]");
    const { letter } = this.choice;
    const board = row && this.boardOf(row);
    if (chip && (letter === null || letter === chip.dataset.chip || !row?.dataset.tier)) {
      this.choice.toggle(chip.dataset.chip);
      if (!event.detail && this.choice.letter !== null) board.toRows();
    } else if (row && letter !== null) {
      this.choice.set(null);
      this.#put(board, letter, row.dataset);
      if (!event.detail) board.toLetters(letter);
    }
  }
}
