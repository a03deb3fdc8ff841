// The desk for one document and one output, with the search for words that both contain.

import { Lookup } from "./desk/lookup.js";
import { openDesk } from "./desk/opening.js";
import { Panes } from "./desk/panes.js";
import { Reading } from "./desk/reading.js";
import { WordMode } from "./desk/wordmode.js";

function equip(page, effort) {
  const words = JSON.parse(page.root.querySelector("#words").textContent);
  const nodes = [...page.root.querySelectorAll("[data-text]")];
  const readings = nodes.map((node) => new Reading(node, words[node.dataset.text]));
  const panes = new Panes(page);
  const lookup = new Lookup(page, readings, words.stop, effort, panes);
  const wordmode = new WordMode(page, lookup, panes);
  const acts = {
    h: () => lookup.toggleCommon(),
    i: () => lookup.toggleInvisibles(),
    w: () => wordmode.start(),
    "[": () => lookup.step(-1),
    "]": () => lookup.step(1),
    escape: () => lookup.clear(),
  };
  return { acts, mode: wordmode };
}

openDesk(equip);
