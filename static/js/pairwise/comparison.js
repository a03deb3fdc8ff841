// Marks words that differ between the two texts, on request; the setting stays for later tasks.

import { gettext } from "../gettext.js";
import { differences, isUnlike } from "../desk/diff.js";
import { countedInvisibles, Reading } from "../desk/reading.js";
import { paintKeeping } from "../desk/selection.js";
import { remembered, remember } from "../desk/switches.js";
import { pieces } from "../desk/words.js";

const SWITCH = "desk-differences";

// Words in the form that Reading expects: [gap, length, number, ...].
function flat(words) {
  let end = 0;
  return words.flatMap((word) => {
    const gap = word.start - end;
    end = word.end;
    return [gap, word.end - word.start, 0];
  });
}

export class Comparison {
  constructor(page, effort) {
    Object.assign(this, { page, effort });
    this.button = page.root.querySelector("#differences");
    this.invisibles = page.root.querySelector("#invisibles");
    this.words = new Map();
    this.readings = [...page.root.querySelectorAll("[data-text]")].map((node) => this.#reading(node));
    this.outputs = this.readings.filter((reading) => reading.name.startsWith("output-"));
    page.on(this.button, "click", () => this.toggleDifferences());
    page.on(this.invisibles, "click", () => this.toggleInvisibles());
    this.#say("");
    if (remembered(SWITCH)) this.toggleDifferences();
  }

  #reading(node) {
    const words = pieces(node.textContent);
    const reading = new Reading(node, flat(words));
    reading.layers = { differs: [] };
    this.words.set(reading, words);
    return reading;
  }

  toggleDifferences() {
    const on = this.button.getAttribute("aria-pressed") !== "true";
    this.button.setAttribute("aria-pressed", String(on));
    remember(SWITCH, on);
    if (on) this.effort.used("differences");
    const words = this.outputs.map((reading) => this.words.get(reading));
    const found = on ? differences(...words) : [[], []];
    const unlike = isUnlike(found, words);
    this.outputs.forEach((reading, place) => (reading.layers.differs = unlike ? [] : found[place]));
    this.outputs.forEach(paintKeeping);
    const none = on && !found.flat().length ? gettext("The words are the same.") : "";
    this.#say(unlike ? gettext("Nearly everything differs: nothing is marked.") : none);
  }

  toggleInvisibles() {
    const on = this.invisibles.getAttribute("aria-pressed") !== "true";
    this.invisibles.setAttribute("aria-pressed", String(on));
    for (const reading of this.readings) {
      reading.invisibles = on;
      paintKeeping(reading);
    }
    this.#say(on ? `${countedInvisibles(this.readings)}.` : "");
  }

  #say(text) {
    const [left, right] = this.outputs;
    this.page.root.querySelector("#same").textContent = left.text === right.text ? `${gettext("Both texts are identical.")} ${text}`.trim() : text;
  }
}
