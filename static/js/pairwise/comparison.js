// In which words do the two texts differ? Marked when asked for, and kept so for the tasks that follow.

import { differences, tokens } from "../desk/diff.js";
import { Reading } from "../desk/reading.js";
import { paintKeeping } from "../desk/selection.js";
import { remembered, remember } from "./switches.js";

const SWITCH = "desk-differences";

// Words as a Reading takes them: [gap, length, number, ...].
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
    if (remembered(SWITCH)) this.toggleDifferences();
    this.#sayWhetherSame();
  }

  #reading(node) {
    const words = tokens(node.textContent);
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
    const [left, right] = this.outputs;
    const found = on ? differences(this.words.get(left), this.words.get(right)) : [[], []];
    this.outputs.forEach((reading, place) => (reading.layers.differs = found[place]));
    this.outputs.forEach(paintKeeping);
  }

  toggleInvisibles() {
    const on = this.invisibles.getAttribute("aria-pressed") !== "true";
    this.invisibles.setAttribute("aria-pressed", String(on));
    for (const reading of this.readings) {
      reading.invisibles = on;
      paintKeeping(reading);
    }
  }

  #sayWhetherSame() {
    const [left, right] = this.outputs;
    const same = left.text === right.text;
    this.page.root.querySelector("#same").textContent = same ? "The two texts are the same, character by character." : "";
  }
}
