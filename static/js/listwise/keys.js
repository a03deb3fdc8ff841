// Keys of this page in addition to the desk's. A desk key that an output's letter overrides works with Shift.

import { gettext } from "../gettext.js";

export function actsOf({ page, choice, cards, boards, extremes, marking, dimensions, mode, questions }) {
  const acts = {
    "[": () => dimensions.step(-1),
    "]": () => dimensions.step(1),
    r: () => boards.answering(null, dimensions).comment(),
    o: () => boards.copy(),
    z: () => cards.toggleAll(),
    w: () => mode.begin(choice.letter ?? choice.letters[0]),
    v: () => withChosen((letter) => cards.pin(letter)),
    x: () => nothing(),
    n: () => marking.note() || questions.press("n"),
    backspace: () => boards.move((board, letter) => board.remove(letter)),
    delete: () => boards.move((board, letter) => board.remove(letter)),
    escape: () => choice.drop(),
  };

  function withChosen(act) {
    if (choice.letter === null) page.announce(gettext("Press an output's letter first."));
    else act(choice.letter);
  }

  choice.hint = () => {
    const keys = !document.documentElement.classList.contains("keys-off");
    if (extremes.current) return keys ? gettext("1 makes it the best, 2 the worst.") : "";
    if (!boards.current) return "";
    const { rows } = boards.current.options;
    if (!keys && boards.current.fieldset.classList.contains("by-number")) return "";
    if (!keys) return gettext("Each row from 1 to %(rows)s is a button now.", { rows });
    return gettext("Press a row's number from 1 to %(rows)s, or its button. Arrows up and down move the letter, Backspace takes it off.", { rows });
  };

  function nothing() {
    const { current } = marking;
    if (!current) return page.announce(gettext("Spans are marked in another question: switch to it with [ or ]."));
    const text = current.texts.find((one) => one.letter === (choice.letter ?? ""));
    return text ? current.toggleFree(text) : page.announce(gettext("Press an output's letter first."));
  }

  for (const letter of choice.letters) {
    const taken = acts[letter.toLowerCase()];
    if (taken) acts[`shift+${letter.toLowerCase()}`] = taken;
    acts[letter.toLowerCase()] = () => {
      if (mode.isOn) mode.begin(letter);
      choice.choose(letter);
    };
  }
  page.on(document, "keydown", (event) => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const writing = event.target.closest?.("textarea, input, select, [role=tab]");
    if (!by || page.form.inert || writing || mode.isOn || event.ctrlKey || event.altKey || event.metaKey) return;
    if (document.documentElement.classList.contains("keys-off") && !event.target.closest("[data-chip]")) return;
    if (event.target.dataset?.chip) choice.set(event.target.dataset.chip);
    if (boards.move((board, letter) => board.step(letter, by)) || extremes.move(by)) event.preventDefault();
  });
  return acts;
}

// The key printed on controls whose key an output's letter overrides.
export function printTaken(page, letters) {
  for (const key of page.root.querySelectorAll("kbd[data-key]")) {
    if (letters.includes(key.dataset.key.toUpperCase()) && key.closest(".question, .desk-actions, .desk-top")) {
      key.textContent = `⇧${key.dataset.key.toUpperCase()}`;
    }
  }
}
