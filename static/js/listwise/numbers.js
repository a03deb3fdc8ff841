// Ranking by numbers instead of the board: a field for each letter, as on pages without scripts. Kept for later tasks.

import { gettext } from "../gettext.js";
import { remembered, remember } from "../desk/switches.js";

const SWITCH = "desk-rank-by-number";

// Listens once: questions may be filled again or replaced.
export function offerNumbers(page, boards) {
  page.on(page.form, "click", ({ target }) => {
    const button = target.closest("[data-by-number]");
    if (button) show(boards.all, button.getAttribute("aria-pressed") !== "true", page);
  });
  page.on(page.form, "change", ({ target, isTrusted }) => {
    const letter = isTrusted && target.dataset.rankOf;
    if (letter) typed(boards.all.find((board) => board.fieldset.contains(target)), letter, target.value);
  });
}

export function showKept(boards) {
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
