// The outputs' cards and the document: their texts as the server has them (a page turns line ends into others), with
// the words that a cursor goes through and the marks laid over them.

import { selectedIn } from "../desk/selection.js";
import { paint } from "./points.js";

export class Text {
  constructor(letter, node, text) {
    Object.assign(this, { letter, node, text });
    this.card = node.closest("[data-card]");
    this.name = letter ? `output ${letter}` : "document";
    this.scroll = node.closest(".pane-scroll");
    this.ranges = { spans: [], differences: [] }; // in UTF-16 units
    this.layers = { cursor: [] }; // ranges of words [first, last]
    this.paint();
  }

  get words() {
    this.found ??= words(this.text, this.node.lang);
    return this.found;
  }

  quote([first, last]) {
    return this.text.slice(this.words[first].start, this.words[last].end);
  }

  paint() {
    const cursor = this.layers.cursor.map(([first, last]) => ({
      start: this.words[first].start, end: this.words[last].end, kind: "cursor",
    }));
    const selected = selectedIn(this);
    paint(this.node, this.text, [...this.ranges.differences, ...this.ranges.spans, ...cursor]);
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

// Words, and marks that are none: {start, end}. What belongs together (a letter and its accents, a joined emoji) stays so.
function words(text, language) {
  const segmenter = new Intl.Segmenter(language || undefined, { granularity: "word" });
  return [...segmenter.segment(text)]
    .filter(({ segment }) => segment.trim())
    .map(({ segment, index }) => ({ start: index, end: index + segment.length }));
}

export function textsOn(page) {
  const json = (id) => JSON.parse(page.root.querySelector(`#${id}`).textContent);
  const outputs = json("output-texts").map(
    ({ letter, text }) => new Text(letter, page.root.querySelector(`[data-text-of="${letter}"]`), text),
  );
  return { outputs, article: new Text("", page.root.querySelector('[data-text="document"]'), json("document-text")) };
}
