// The desk with two outputs side by side.

import { openDesk } from "../desk/opening.js";
import { Checklist } from "./checklist.js";
import { Comparison } from "./comparison.js";
import { Scrolling } from "./scrolling.js";

// Gives a long document more room while it is read; the next task starts with the usual layout.
function room(page) {
  const button = page.root.querySelector("#taller");
  if (!button) return null;
  const toggle = () => {
    const tall = page.root.querySelector("#brief").classList.toggle("is-tall");
    button.setAttribute("aria-pressed", String(tall));
  };
  page.on(button, "click", toggle);
  return toggle;
}

function equip(page, effort) {
  const comparison = new Comparison(page, effort);
  const scrolling = new Scrolling(page);
  const checklist = new Checklist(page, effort);
  const acts = {
    d: () => comparison.toggleDifferences(),
    i: () => comparison.toggleInvisibles(),
    t: () => scrolling.toggle(),
  };
  const taller = room(page);
  if (taller) acts.l = taller;
  if (checklist.isThere) acts.k = () => checklist.toggle();
  if (checklist.hasExamples) acts.e = () => checklist.examples();
  return { acts, readers: () => scrolling.readers() };
}

openDesk(equip);
