// Finds the words of one text in the other: for a selected word or phrase, or for all content words at once.

import { sharedWords, whereFound } from "./foundwords.js";
import { countedInvisibles } from "./reading.js";
import { paintKeeping, selectedIn } from "./selection.js";
import { drawStrip } from "./strip.js";

const SWITCH = "desk-common";

export class Lookup {
  constructor(page, readings, stop, effort, panes) {
    Object.assign(this, { page, readings, effort, panes, at: null, from: null });
    this.stop = new Set(stop);
    this.places = page.root.querySelector("#places");
    this.steps = page.root.querySelector("#places-steps");
    this.common = page.root.querySelector("#common");
    this.invisibles = page.root.querySelector("#invisibles");
    page.on(this.common, "click", () => this.toggleCommon());
    page.on(this.invisibles, "click", () => this.toggleInvisibles());
    page.on(page.root.querySelector("#step-back"), "click", () => this.step(-1));
    page.on(page.root.querySelector("#step-on"), "click", () => this.step(1));
    for (const reading of readings) page.on(reading.node, "pointerup", () => this.#released(reading));
    page.on(document, "selectionchange", () => this.#later());
    page.on(window, "resize", () => this.#strips());
    if (sessionStorage.getItem(SWITCH) === "on") this.toggleCommon();
  }

  other(reading) {
    return this.readings.find((one) => one !== reading);
  }

  // Touch screens and Shift with arrows select without a pointer release.
  #later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.readings.forEach((reading) => this.#selected(reading)), 300);
  }

  // A click that selects nothing removes the marks; this is known only after the browser has handled the click.
  #released(reading) {
    this.#selected(reading);
    setTimeout(() => document.getSelection().isCollapsed && this.clear());
  }

  #selected(reading) {
    const part = selectedIn(reading);
    const words = part && reading.wordsIn(...part);
    if (words) this.find(reading, words);
  }

  find(from, words) {
    if (this.from === from && String(from.layers.chosen[0]) === String(words)) return;
    const to = this.other(from);
    const wanted = from.words.slice(words[0], words[1] + 1).map((word) => word.number);
    from.layers.chosen = [words];
    from.layers.found = to.layers.chosen = [];
    to.layers.found = occurrences(to.words, wanted);
    Object.assign(this, { from, at: to });
    to.now = to.layers.found.length ? 0 : -1;
    this.effort.used("selection");
    this.#paint();
    this.#say();
    this.#reveal();
  }

  clear() {
    if (!this.from) return;
    for (const reading of this.readings) Object.assign(reading.layers, { chosen: [], found: [] });
    Object.assign(this, { from: null, at: null });
    this.#paint();
    this.#say();
  }

  step(by) {
    const count = this.at?.layers.found.length;
    if (!count) return;
    this.at.now = (this.at.now + by + count) % count;
    this.effort.used("step");
    this.#paint();
    this.#say();
    this.panes.show(this.at.name);
    this.#reveal();
  }

  toggleCommon() {
    const on = this.common.getAttribute("aria-pressed") !== "true";
    this.common.setAttribute("aria-pressed", String(on));
    sessionStorage.setItem(SWITCH, on ? "on" : "off");
    if (on) this.effort.used("common_words");
    for (const reading of this.readings) {
      const known = new Set(this.other(reading).words.map((word) => word.number));
      const shared = (word) => known.has(word.number) && !this.stop.has(word.number);
      reading.layers.common = on ? reading.words.flatMap((word, place) => (shared(word) ? [[place, place]] : [])) : [];
    }
    this.#paint();
    this.#say();
  }

  toggleInvisibles() {
    const on = this.invisibles.getAttribute("aria-pressed") !== "true";
    this.invisibles.setAttribute("aria-pressed", String(on));
    for (const reading of this.readings) reading.invisibles = on;
    this.#paint();
    this.invisible = on ? countedInvisibles(this.readings) : "";
    this.#say();
  }

  #paint() {
    this.readings.forEach(paintKeeping);
    this.#strips();
  }

  #strips() {
    for (const reading of this.readings) drawStrip(this.page.root.querySelector(`[data-strip="${reading.name}"]`), reading);
  }

  #reveal() {
    const mark = this.at.mark("now");
    if (mark) this.at.reveal(mark);
  }

  #say() {
    const count = this.at?.layers.found.length ?? 0;
    this.steps.hidden = count < 2;
    for (const badge of this.page.root.querySelectorAll("[data-places]")) badge.textContent = count ? `· ${count}` : "";
    const quoted = document.createElement("bdi");
    if (this.from) quoted.textContent = `“${short(this.from.quote(this.from.layers.chosen[0]))}”`;
    const shared = this.readings.map((reading) => reading.layers.common.length);
    const idle = shared[0] ? [sharedWords(this.readings, shared)] : [this.invisible ?? ""];
    this.places.replaceChildren(...(this.from ? [quoted, `: ${this.at && whereFound(this.at)}`] : idle));
  }
}

export function occurrences(words, wanted) {
  const found = [];
  for (let place = 0; place + wanted.length <= words.length; place++) {
    if (wanted.every((number, step) => words[place + step].number === number)) {
      found.push([place, place + wanted.length - 1]);
      place += wanted.length - 1;
    }
  }
  return found;
}

function short(text) {
  const line = text.replace(/\s+/g, " ");
  return line.length > 60 ? `${line.slice(0, 57)}…` : line;
}
