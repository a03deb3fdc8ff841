// Keys of this page beside those of every desk. A letter that an output has taken does its other work with Shift.

export function actsOf({ page, choice, cards, boards, marking, dimensions, mode }) {
  const acts = {
    "[": () => dimensions.step(-1),
    "]": () => dimensions.step(1),
    r: () => boards.answering(null, dimensions).comment(),
    o: () => boards.copy(),
    z: () => cards.toggleAll(),
    w: () => mode.begin(choice.letter ?? choice.letters[0]),
    v: () => withChosen((letter) => cards.pin(letter)),
    x: () => nothing(),
    backspace: () => boards.move((board, letter) => board.remove(letter)),
    delete: () => boards.move((board, letter) => board.remove(letter)),
    escape: () => choice.set(null),
  };

  function withChosen(act) {
    if (choice.letter === null) page.announce("First the letter of an output.");
    else act(choice.letter);
  }

  function nothing() {
    const { current } = marking;
    if (!current) return page.announce("Passages are marked in another question: go there with [ or ].");
    const text = current.texts.find((one) => one.letter === (choice.letter ?? ""));
    return text ? current.toggleFree(text) : page.announce("First the letter of an output.");
  }

  for (const letter of choice.letters) {
    const taken = acts[letter.toLowerCase()];
    if (taken) acts[`shift+${letter.toLowerCase()}`] = taken;
    acts[letter.toLowerCase()] = () => {
      if (mode.isOn) mode.begin(letter);
      choice.choose(letter, boards.current ? `Rows 1 to ${boards.current.options.rows}.` : "");
    };
  }
  page.on(document, "keydown", (event) => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const writing = event.target.closest?.("textarea, input, select, [role=tab]");
    if (!by || writing || mode.isOn || event.ctrlKey || event.altKey || event.metaKey) return;
    if (document.documentElement.classList.contains("keys-off") && !event.target.closest("[data-chip]")) return;
    if (event.target.dataset?.chip) choice.set(event.target.dataset.chip);
    if (boards.move((board, letter) => board.step(letter, by))) event.preventDefault();
  });
  return acts;
}

// What is printed on controls whose key an output has taken.
export function printTaken(page, letters) {
  for (const key of page.root.querySelectorAll("kbd[data-key]")) {
    if (letters.includes(key.dataset.key.toUpperCase()) && key.closest(".question, .desk-actions, .desk-top")) {
      key.textContent = `⇧${key.dataset.key.toUpperCase()}`;
    }
  }
}
