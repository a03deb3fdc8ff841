// A text on the page, the positions of its words, and marks over it. The text itself never changes: marks are
// wrapped around it and removed again.

import { gettext, ngettext } from "../gettext.js";
import { fill } from "./pieces.js";

const INVISIBLE = /[\t\u0000-\u0008\u000b-\u001f\u007f-\u00a0\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff\u{e0000}-\u{e0fff}]/gu;
const NAMES = {
  9: "TAB", 0xa0: "NBSP", 0xad: "SHY", 0x61c: "ALM", 0x200b: "ZWSP", 0x200c: "ZWNJ", 0x200d: "ZWJ", 0x200e: "LRM", 0x200f: "RLM",
  0x202a: "LRE", 0x202b: "RLE", 0x202c: "PDF", 0x202d: "LRO", 0x202e: "RLO", 0x2060: "WJ", 0x2066: "LRI", 0x2067: "RLI",
  0x2068: "FSI", 0x2069: "PDI", 0xfeff: "BOM",
};

// [gap, length, number, ...] in UTF-16 units, as annotation/desk/highlighting.py writes it.
export function unpack(flat) {
  const words = [];
  let end = 0;
  for (let place = 0; place < flat.length; place += 3) {
    const start = end + flat[place];
    end = start + flat[place + 1];
    words.push({ start, end, number: flat[place + 2] });
  }
  return words;
}

export class Reading {
  constructor(node, flat) {
    this.node = node;
    this.name = node.dataset.text;
    this.scroll = node.closest(".pane-scroll");
    this.text = node.textContent;
    this.words = unpack(flat);
    this.layers = { cursor: [], chosen: [], found: [], common: [] }; // ranges of words [first, last]
    this.now = -1;
    this.invisibles = false;
  }

  // The words that [start, end) of the text touches, as [first, last], or null.
  wordsIn(start, end) {
    const first = this.words.findIndex((word) => word.end > start);
    const last = this.words.findLastIndex((word) => word.start < end);
    return first >= 0 && first <= last ? [first, last] : null;
  }

  quote([first, last]) {
    return this.text.slice(this.words[first].start, this.words[last].end);
  }

  #ranges() {
    const taken = new Uint8Array(this.words.length);
    const ranges = [];
    for (const [layer, marked] of Object.entries(this.layers)) {
      marked.forEach(([first, last], place) => {
        for (let word = first; word <= last; word++) if (taken[word]) return;
        taken.fill(1, first, last + 1);
        const now = layer === "found" && place === this.now;
        ranges.push({ start: this.words[first].start, end: this.words[last].end, kind: now ? "found now" : layer });
      });
    }
    return ranges.sort((a, b) => a.start - b.start);
  }

  paint() {
    const parts = [];
    let end = 0;
    for (const range of this.#ranges()) {
      parts.push(...this.#plain(end, range.start));
      const mark = document.createElement("mark");
      mark.className = range.kind;
      mark.append(...this.#plain(range.start, range.end));
      parts.push(mark);
      end = range.end;
    }
    parts.push(...this.#plain(end, this.text.length));
    fill(this.node, parts, this.text);
  }

  #plain(start, end) {
    const text = this.text.slice(start, end);
    if (!this.invisibles) return text ? [text] : [];
    const parts = [];
    let done = 0;
    for (const { 0: character, index } of text.matchAll(INVISIBLE)) {
      const code = character.codePointAt(0);
      const shown = document.createElement("span");
      shown.className = "invisible";
      shown.dataset.name = NAMES[code] ?? `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
      shown.textContent = character;
      parts.push(text.slice(done, index), shown);
      done = index + character.length;
    }
    return [...parts, text.slice(done)];
  }

  mark(kind) {
    return this.node.querySelector(`mark.${kind}`);
  }

  // Scroll a marked word into view if needed, without moving the page.
  reveal(mark) {
    const box = mark.getBoundingClientRect();
    const view = this.scroll.getBoundingClientRect();
    if (box.top >= view.top + 8 && box.bottom <= view.bottom - 8) return;
    this.scroll.scrollTop += (box.top + box.bottom) / 2 - (view.top + view.bottom) / 2;
  }
}

// What the switch for invisible characters shows, in words.
export function countedInvisibles(readings) {
  const count = readings.reduce((sum, reading) => sum + reading.node.querySelectorAll(".invisible").length, 0);
  if (!count) return gettext("No invisible characters");
  return ngettext("%(n)s invisible character", "%(n)s invisible characters", count);
}
