// Ranking by numbers instead of the board: a field for each letter, as on pages without scripts. Kept for later tasks.

import { gettext } from "../gettext.js";
import { remembered, remember } from "../desk/switches.js";

const SWITCH = "desk-rank-by-number";

export function offerNumbers(page, boards) {
  for (const board of boards) {
    const button = board.fieldset.querySelector("[data-by-number]");
    page.on(button, "click", () => show(boards, button.getAttribute("aria-pressed") !== "true", page));
    for (const [letter, field] of board.fields) {
      page.on(field, "change", (event) => event.isTrusted && typed(board, letter, field.value));
    }
  }
  show(boards, remembered(SWITCH));
}

function show(boards, on, page) {
  for (const { fieldset } of boards) {
    fieldset.classList.toggle("by-number", on);
    fieldset.querySelector("[data-by-number]").setAttribute("aria-pressed", String(on));
  }
  if (!page) return;
  remember(SWITCH, on);
  page.announce(on ? gettext("Each output has a field for its number. 1 is best.") : gettext("The board is shown again."));
}

// A number puts its letter there without moving on to the next question: others may follow.
function typed(board, letter, value) {
  if (value.trim()) board.put(letter, Number(value), true);
  else board.remove(letter);
}
