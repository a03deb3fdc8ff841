// A desk on the page: what every protocol's page has. What else it can do comes from the page's own script.

import { Autosave } from "./autosave.js";
import { Dialogs } from "./dialogs.js";
import { Effort } from "./effort.js";
import { Keep } from "./keep.js";
import { Keys } from "./keys.js";
import { Page } from "./page.js";
import { Pulse } from "./pulse.js";
import { Questions } from "./questions.js";
import { Sending } from "./sending.js";
import { State } from "./state.js";
import { focusOnProblem, showing } from "./swap.js";
import { localTimes } from "./times.js";

// `equip(page, effort)` is called for each task that comes on the desk. It may return `acts` {key: function}, a
// `mode` that takes all keys while it is on, and `questions` that know the keys of the answers.
export function openDesk(equip) {
  function open(root, show) {
    const page = new Page(root);
    const state = new State(page);
    const keep = new Keep(page);
    const effort = new Effort(page);
    const { acts = {}, mode = { isOn: false }, questions = new Questions(page) } = equip(page, effort);
    const autosave = new Autosave(page, state, keep);
    const sending = new Sending(page, { state, keep, effort, autosave }, show);
    const dialogs = new Dialogs(page);
    new Keys(page, joined(common(page, dialogs, questions), acts), mode, questions);
    new Pulse(page, state, effort);
    localTimes(root);
    if (root.dataset.hasErrors === "yes") focusOnProblem(page);
    sending.resume().then((sent) => sent || autosave.restore());
    return page;
  }

  showing(open)(document.querySelector("#desk"));
}

function common(page, dialogs, questions) {
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
  };
}

// The page's own acts win; what a key did on every desk it then does with Shift.
function joined(all, own) {
  const moved = Object.entries(all).filter(([key]) => key in own);
  return { ...all, ...Object.fromEntries(moved.map(([key, act]) => [`shift+${key}`, act])), ...own };
}
