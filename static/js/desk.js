// The rater's desk. Without this script it is a plain form; with it nothing typed is lost, and a task takes a few keys.

import { Autosave } from "./desk/autosave.js";
import { Dialogs } from "./desk/dialogs.js";
import { Effort } from "./desk/effort.js";
import { Keep } from "./desk/keep.js";
import { Keys } from "./desk/keys.js";
import { Lookup } from "./desk/lookup.js";
import { Page } from "./desk/page.js";
import { Panes } from "./desk/panes.js";
import { Pulse } from "./desk/pulse.js";
import { Questions } from "./desk/questions.js";
import { Reading } from "./desk/reading.js";
import { Sending } from "./desk/sending.js";
import { State } from "./desk/state.js";
import { focusOnProblem, showing } from "./desk/swap.js";
import { localTimes } from "./desk/times.js";
import { WordMode } from "./desk/wordmode.js";

function aids(page, effort) {
  const words = JSON.parse(page.root.querySelector("#words").textContent);
  const nodes = [...page.root.querySelectorAll("[data-text]")];
  const readings = nodes.map((node) => new Reading(node, words[node.dataset.text]));
  const panes = new Panes(page);
  const lookup = new Lookup(page, readings, words.stop, effort, panes);
  return { lookup, wordmode: new WordMode(page, lookup, panes) };
}

function acts(page, { dialogs, questions, lookup, wordmode }) {
  const press = (id) => () => page.root.querySelector(id)?.click();
  return {
    enter: () => page.form.requestSubmit(),
    s: () => dialogs.drawer("skip"),
    f: () => dialogs.drawer("flag"),
    g: () => dialogs.guidelines(),
    "?": () => dialogs.help(),
    c: () => questions.comment(),
    p: press("#previous"),
    u: press("#undo"),
    h: () => lookup.toggleCommon(),
    i: () => lookup.toggleInvisibles(),
    w: () => wordmode.start(),
    "[": () => lookup.step(-1),
    "]": () => lookup.step(1),
    escape: () => lookup.clear(),
  };
}

function open(root, show) {
  const page = new Page(root);
  const state = new State(page);
  const keep = new Keep(page);
  const effort = new Effort(page);
  const questions = new Questions(page);
  const autosave = new Autosave(page, state, keep);
  const sending = new Sending(page, { state, keep, effort, autosave }, show);
  const dialogs = new Dialogs(page);
  const { lookup, wordmode } = aids(page, effort);
  new Keys(page, acts(page, { dialogs, questions, lookup, wordmode }), wordmode, questions);
  new Pulse(page, state, effort);
  localTimes(root);
  if (root.dataset.hasErrors === "yes") focusOnProblem(page);
  sending.resume().then((sent) => sent || autosave.restore());
  return page;
}

showing(open)(document.querySelector("#desk"));
