// Selecting words by keyboard: a cursor as wide as a word moves through a text.

import { gettext } from "../gettext.js";

export class WordMode {
  constructor(page, lookup, panes) {
    Object.assign(this, { page, lookup, panes, reading: null });
  }

  get isOn() {
    return this.reading !== null;
  }

  // Start in the focused text, else in the output, at the first word in view.
  start() {
    const focused = this.lookup.readings.find((one) => one.scroll.contains(document.activeElement));
    this.#enter(focused ?? this.lookup.readings.at(-1));
  }

  #enter(reading) {
    if (!reading.words.length) return this.page.announce(reading.name === "document" ? gettext("The document has no words.") : gettext("The output has no words."));
    this.reading = reading;
    this.panes.show(reading.name);
    reading.scroll.focus({ preventScroll: true });
    const top = reading.scroll.getBoundingClientRect().top;
    const seen = reading.words.findIndex((_, place) => this.#box(place).top >= top);
    this.at = this.anchor = Math.max(seen, 0);
    return this.#show(reading.name === "document" ? gettext("Selecting words in the document.") : gettext("Selecting words in the output."));
  }

  leave() {
    this.reading.layers.cursor = [];
    this.reading.paint();
    this.reading = null;
    this.page.announce(gettext("Stopped selecting words."));
  }

  key(event) {
    const { reading } = this;
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: "up", ArrowDown: "down", Home: -Infinity, End: Infinity };
    if (event.key in steps) this.#move(steps[event.key], event.shiftKey);
    else if (event.key === "Enter") this.lookup.find(reading, this.#range());
    else if (event.key === "Tab") this.#change();
    else if (event.key === "Escape") this.leave();
    else return false;
    return true;
  }

  #change() {
    const { reading } = this;
    reading.layers.cursor = [];
    reading.paint();
    this.#enter(this.lookup.other(reading));
  }

  #range() {
    return [Math.min(this.at, this.anchor), Math.max(this.at, this.anchor)];
  }

  #move(step, extend) {
    const last = this.reading.words.length - 1;
    const ahead = getComputedStyle(this.reading.node).direction === "rtl" ? -1 : 1;
    if (step === "up" || step === "down") this.at = this.#line(step === "up" ? -1 : 1);
    else if (Number.isFinite(step)) this.at = Math.min(last, Math.max(0, this.at + step * ahead));
    else this.at = step < 0 ? 0 : last;
    if (!extend) this.anchor = this.at;
    this.#show();
  }

  #box(place) {
    const { start, end } = this.reading.words[place];
    const walker = document.createTreeWalker(this.reading.node, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    let before = 0;
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (before + node.length > start) {
        range.setStart(node, start - before);
        range.setEnd(node, Math.min(end - before, node.length));
        return range.getBoundingClientRect();
      }
      before += node.length;
    }
    return this.reading.node.getBoundingClientRect();
  }

  // The word nearest to this word's middle on the line above or below.
  #line(by) {
    const here = this.#box(this.at);
    const middle = (box) => (box.left + box.right) / 2;
    let best = this.at;
    let line = null;
    for (let place = this.at + by; place >= 0 && place < this.reading.words.length; place += by) {
      const box = this.#box(place);
      if (Math.abs(box.top - here.top) < here.height / 2) continue;
      line ??= box.top;
      if (Math.abs(box.top - line) > here.height / 2) break;
      if (best === this.at || Math.abs(middle(box) - middle(here)) < Math.abs(middle(this.#box(best)) - middle(here))) best = place;
    }
    return best;
  }

  #show(before = "") {
    this.reading.layers.cursor = [this.#range()];
    this.reading.paint();
    this.reading.reveal(this.reading.mark("cursor"));
    this.page.announce(`${before} ${this.reading.quote(this.#range())}`.trim());
  }
}
