// All outputs of an item at once: ranks on several dimensions, marked spans, a written reason.

import { openDesk } from "../desk/opening.js";
import { Panes } from "../desk/panes.js";
import { Questions } from "../desk/questions.js";
import { Boards } from "./boards.js";
import { Cards } from "./cards.js";
import { Choice } from "./choice.js";
import { Dimensions } from "./dimensions.js";
import { Extremes } from "./extremes.js";
import { Marking } from "./marking.js";
import { MarkMode } from "./markmode.js";
import { actsOf, printTaken } from "./keys.js";
import { showWordCounts } from "./reason.js";
import { stateOf } from "./states.js";
import { textsOn } from "./texts.js";

openDesk((page, effort) => {
  const texts = textsOn(page);
  const panes = new Panes(page);
  const questions = new Questions(page);
  const choice = new Choice(page, texts.outputs);
  const cards = new Cards(page, texts.outputs, effort);
  const boards = new Boards(page, choice, effort);
  const extremes = new Extremes(page, choice);
  const marking = new Marking(page, texts);
  const dimensions = new Dimensions(page, stateOf);
  const mode = new MarkMode(page, marking, panes, effort);

  function onView(panel) {
    mode.stop();
    marking.show(panel);
    boards.show(panel);
    extremes.show(panel);
  }
  dimensions.changed(onView);

  function rebuild() {
    boards.rebuild();
    marking.rebuild();
    dimensions.begin();
    showWordCounts(page);
    printTaken(page, choice.letters);
  }
  page.on(page.form, "desk:filled", rebuild);
  page.on(page.form, "input", () => showWordCounts(page));
  rebuild();

  const acts = actsOf({ page, choice, cards, boards, extremes, marking, dimensions, mode, questions });
  return { acts, mode, questions: extremes.answering(boards.answering(questions, dimensions)) };
});
