// Marking by keyboard: a cursor as wide as a word moves through a text; a label's number, or Enter, marks.

import { gettext } from "../gettext.js";
import { WordMode } from "../desk/wordmode.js";
import { whichLabel } from "./spanbar.js";

export class MarkMode extends WordMode {
  constructor(page, marking, panes, effort) {
    let target = null;
    const lookup = {
      get readings() {
        return [target];
      },
      find: (text, words) => this.#enterKey(text, words),
      other: (text) => {
        const { texts } = marking.current;
        return (target = texts[(texts.indexOf(text) + 1) % texts.length]);
      },
    };
    super(page, lookup, { show: (name) => panes.show(name === "document" ? "document" : "output") });
    Object.assign(this, { marking, effort, target: (text) => (target = text) });
  }

  begin(letter) {
    const { current } = this.marking;
    if (!current) return this.page.announce(gettext("Spans are marked in another question: switch to it with [ or ]."));
    this.stop();
    this.target(current.texts.find((text) => text.letter === letter) ?? current.texts[0]);
    this.effort.used("word_cursor");
    return this.start();
  }

  stop() {
    if (this.isOn) this.leave();
  }

  key(event) {
    const label = /^[1-9]$/.test(event.key) ? this.marking.current?.labels[event.key - 1] : undefined;
    if (label) this.#mark(label);
    else if (event.key === "Delete" || event.key === "Backspace") this.#remove();
    else return super.key(event);
    return true;
  }

  #units([first, last]) {
    const { words } = this.reading;
    return [words[first].start, words[last].end];
  }

  #mark(label) {
    const text = this.reading;
    const [start, end] = this.#units(text.layers.cursor[0]);
    const { current, bar } = this.marking;
    if (current.severities.length) bar.open({ marks: current, text, start, end, label });
    else this.marking.mark(text, start, end, { label });
  }

  #remove() {
    const { current } = this.marking;
    const [span] = current.at(this.reading, ...this.#units(this.reading.layers.cursor[0]));
    if (span) this.marking.remove(current, span);
    else this.page.announce(gettext("Nothing is marked here."));
  }

  // Without labels Enter marks; on an existing span it opens the note; otherwise it announces the label numbers.
  #enterKey(text, words) {
    const { current } = this.marking;
    const [span] = current.at(text, ...this.#units(words));
    if (span) return this.marking.bar.open({ marks: current, text, span }, true);
    if (!current.labels.length) return this.#mark("");
    return this.page.announce(whichLabel(current));
  }
}
