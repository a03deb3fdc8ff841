// The outputs' cards and the document: their texts as stored on the server (browsers change line ends), the words for
// the cursor, and the marks over them.

import { gettext } from "../gettext.js";
import { selectedIn } from "../desk/selection.js";
import { pieces } from "../desk/words.js";
import { paint } from "./points.js";

export class Text {
  constructor(letter, node, text) {
    Object.assign(this, { letter, node, text });
    this.card = node.closest("[data-card]");
    this.name = letter ? gettext("output %(letter)s", { letter }) : gettext("document");
    this.scroll = node.closest(".pane-scroll");
    this.ranges = { spans: [], differences: [] }; // in UTF-16 units
    this.layers = { cursor: [] }; // ranges of words [first, last]
    this.needsPainting = node.textContent !== text; // line ends were changed: write the text once
    this.paint();
  }

  get words() {
    this.found ??= pieces(this.text);
    return this.found;
  }

  // [start, end) in units, widened so that it cuts no word in two.
  wholeWords(start, end) {
    const cut = (place) => this.words.find((word) => word.start < place && place < word.end);
    return [cut(start)?.start ?? start, cut(end)?.end ?? end];
  }

  quote([first, last]) {
    return this.text.slice(this.words[first].start, this.words[last].end);
  }

  paint() {
    const cursor = this.layers.cursor.map(([first, last]) => ({
      start: this.words[first].start, end: this.words[last].end, kind: "cursor",
    }));
    const ranges = [...this.ranges.differences, ...this.ranges.spans, ...cursor];
    if (!ranges.length && !this.needsPainting) return; // as the server wrote it; painting makes the browser lay it out again
    const selected = selectedIn(this);
    paint(this.node, this.text, ranges);
    this.needsPainting = ranges.length > 0;
    if (selected) document.getSelection().removeAllRanges();
  }

  mark(kind) {
    return this.node.querySelector(`mark.${kind}`);
  }

  reveal(mark) {
    const box = mark.getBoundingClientRect();
    const view = this.scroll.getBoundingClientRect();
    if (box.top >= view.top + 8 && box.bottom <= view.bottom - 8) return;
    this.scroll.scrollTop += (box.top + box.bottom) / 2 - (view.top + view.bottom) / 2;
  }
}

export function textsOn(page) {
  const json = (id) => JSON.parse(page.root.querySelector(`#${id}`).textContent);
  const outputs = json("output-texts").map(
    ({ letter, text }) => new Text(letter, page.root.querySelector(`[data-text-of="${letter}"]`), text),
  );
  return { outputs, article: new Text("", page.root.querySelector('[data-text="document"]'), json("document-text")) };
}
