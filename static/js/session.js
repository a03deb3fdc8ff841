// The page of a session: reading the answer, following it while it is written, and the step that is due.

import { Autosave } from "./desk/autosave.js";
import { Dialogs } from "./desk/dialogs.js";
import { Effort } from "./desk/effort.js";
import { Keep } from "./desk/keep.js";
import { Keys } from "./desk/keys.js";
import { Page } from "./desk/page.js";
import { Panes } from "./desk/panes.js";
import { Pulse } from "./desk/pulse.js";
import { Questions } from "./desk/questions.js";
import { Sending } from "./desk/sending.js";
import { State } from "./desk/state.js";
import { AnswerViews } from "./sessions/answer.js";
import { showEarlier } from "./sessions/earlier.js";
import { Papers } from "./sessions/papers.js";
import { showing } from "./sessions/showing.js";
import { Stepping } from "./sessions/stepping.js";
import { Writing } from "./sessions/writing.js";

const PANES = ["answer", "papers", "turns"];
const NO_MODE = { isOn: false };

function open(root, show) {
  const page = new Page(root);
  const state = new State(page);
  const keep = new Keep(page, "session");
  const effort = new Effort(page);
  const questions = new Questions(page);
  const autosave = new Autosave(page, state, keep);
  const sending = new Sending(page, { state, keep, effort, autosave }, show);
  const panes = new Panes(page, PANES);
  const papers = new Papers(page, panes, effort);
  const views = new AnswerViews(page, panes, effort);
  const dialogs = new Dialogs(page);
  new Keys(page, { ...acts(page, panes, questions, dialogs), ...papers.acts(), ...views.acts() }, NO_MODE, questions);
  new Pulse(page, state, effort);
  new Stepping(page, views);
  new Writing(page, state, show);
  showEarlier(page, keep);
  sending.resume().then((sent) => sent || autosave.restore());
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

showing(open)(document.querySelector("#desk"));
