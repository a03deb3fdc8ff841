// What keeps and sends an answer: drafts, submissions and heartbeats. A preview has none of it, and sends nothing.

import { Autosave } from "./autosave.js";
import { Keep } from "./keep.js";
import { Pulse } from "./pulse.js";
import { Sending } from "./sending.js";
import { State } from "./state.js";
import { Unsent } from "./unsent.js";

export function keeping(page, effort, show, place = "desk") {
  const state = new State(page);
  if (page.isPreview) return still(page, state);
  if (page.isPractice) return practising(page, state);
  const keep = new Keep(page, place);
  const unsent = new Unsent(page.tag, place);
  const autosave = new Autosave(page, state, keep, unsent);
  const sending = new Sending(page, { state, keep, unsent, effort, autosave }, show);
  new Pulse(page, state, effort);
  return { state, keep, begin: (keys) => sending.begin(keys) };
}

// A practice task saves drafts like any other, and its form is sent as forms are without scripts.
function practising(page, state) {
  const keep = new Keep(page, "practice");
  const autosave = new Autosave(page, state, keep, new Unsent(page.tag, "practice"));
  page.on(page.form, "submit", () => autosave.stop());
  keep.dropOthers("draft");
  return { state, keep, begin: (keys) => autosave.restore() && keys.replay() };
}

// Links and buttons that would leave the page or send something do nothing, except those of dialogs.
function still(page, state) {
  page.on(page.root, "submit", (event) => event.target.method !== "dialog" && event.preventDefault());
  page.on(page.root, "click", (event) => event.target.closest("a[href]") && event.preventDefault());
  return { state, keep: null, begin() {} };
}
