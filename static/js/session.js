// The page of a session: the answer and its views, the answer while it is being written, and the step that is due.

import { Dialogs } from "./desk/dialogs.js";
import { Effort } from "./desk/effort.js";
import { Errors } from "./desk/errors.js";
import { Fit } from "./desk/fit.js";
import { keeping } from "./desk/keeping.js";
import { Keys } from "./desk/keys.js";
import { Page } from "./desk/page.js";
import { Panes } from "./desk/panes.js";
import { Phrases } from "./desk/phrases.js";
import { Questions } from "./desk/questions.js";
import { ReadingKeys } from "./desk/readingkeys.js";
import { Sizes } from "./desk/sizes.js";
import { Sliders } from "./desk/sliders.js";
import { AnswerViews } from "./sessions/answerviews.js";
import { pageSwap } from "./sessions/pageswap.js";
import { Papers } from "./sessions/papers.js";
import { Preview } from "./sessions/preview.js";
import { Progress } from "./sessions/progress.js";
import { showStaleDraft } from "./sessions/staledraft.js";
import { StepKeys } from "./sessions/stepkeys.js";

const PANES = ["answer", "papers", "turns"];
const NO_MODE = { isOn: false };

function open(root, show) {
  const page = new Page(root);
  const effort = new Effort(page);
  new Sliders(page);
  const questions = new Questions(page);
  const kept = keeping(page, effort, show, "session");
  const panes = new Panes(page, PANES);
  const papers = new Papers(page, panes, effort);
  const views = new AnswerViews(page, panes, effort);
  const dialogs = new Dialogs(page);
  new Errors(page);
  const sizes = new Sizes(page);
  const own = { ...acts(page, panes, questions, dialogs), ...papers.acts(), ...views.acts(), ...sizes.acts() };
  const keys = new Keys(page, own, NO_MODE, questions);
  new ReadingKeys(page);
  new Fit(page);
  new Phrases(page);
  new Preview(page);
  new StepKeys(page, views);
  new Progress(page, kept.state, show);
  if (!page.isPreview) showStaleDraft(page, kept.keep);
  queueMicrotask(() => kept.begin(keys)); // when the page is shown, before the next key
  return page;
}

function acts(page, panes, questions, dialogs) {
  const press = (id) => () => page.root.querySelector(id)?.click();
  const write = () => page.root.querySelector("#instruction")?.focus() ?? press("#change")();
  return {
    enter: () => page.form.requestSubmit(),
    i: write,
    c: () => questions.comment(),
    e: () => (page.root.querySelector("#edit-link") ?? page.root.querySelector("#leave-edit"))?.click(),
    r: press("#ready"),
    n: press("#not-yet"),
    x: () => page.root.dataset.due === "writing" && page.form.requestSubmit(),
    g: () => dialogs.guidelines(),
    "?": () => dialogs.help(),
  };
}

pageSwap(open)(document.querySelector("#desk"));
