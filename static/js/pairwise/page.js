// The desk with two outputs side by side.

import { openDesk } from "../desk/opening.js";
import { Checklist } from "./checklist.js";
import { Comparison } from "./comparison.js";
import { Scrolling } from "./scrolling.js";

function equip(page, effort) {
  const comparison = new Comparison(page, effort);
  const scrolling = new Scrolling(page);
  const checklist = new Checklist(page, effort);
  const acts = {
    d: () => comparison.toggleDifferences(),
    i: () => comparison.toggleInvisibles(),
    t: () => scrolling.toggle(),
    pageup: () => scrolling.turn(-1),
    pagedown: () => scrolling.turn(1),
  };
  if (checklist.isThere) acts.k = () => checklist.toggle();
  if (checklist.hasExamples) acts.e = () => checklist.examples();
  return { acts };
}

openDesk(equip);
