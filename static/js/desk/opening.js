// The desk that every protocol's page has; the page's own script adds the rest.

import { watchBreaks } from "./breaks.js";
import { Dialogs } from "./dialogs.js";
import { Effort } from "./effort.js";
import { Errors } from "./errors.js";
import { Fit } from "./fit.js";
import { keeping } from "./keeping.js";
import { Keys } from "./keys.js";
import { Page } from "./page.js";
import { Phrases } from "./phrases.js";
import { Questions } from "./questions.js";
import { ReadingKeys } from "./readingkeys.js";
import { SelfSubmit } from "./selfsubmit.js";
import { Sizes } from "./sizes.js";
import { Sliders } from "./sliders.js";
import { SourceView } from "./sourceview.js";
import { focusOnProblem, showing } from "./swap.js";
import { localTimes } from "./times.js";

// `equip(page, effort)` is called for each task on the desk. It may return `acts` {key: function}, a
// `mode` that takes all keys while it is on, `questions` that know the keys of the answers, and `readers`: which texts
// the reading keys scroll.
export function openDesk(equip) {
  watchBreaks();
  function open(root, show) {
    const page = new Page(root);
    const effort = new Effort(page);
    new Sliders(page);
    const { acts = {}, mode = { isOn: false }, questions = new Questions(page), readers } = equip(page, effort);
    const kept = keeping(page, effort, show);
    const dialogs = new Dialogs(page);
    new Errors(page);
    const sizes = new Sizes(page);
    const own = { ...common(page, dialogs, questions), ...sizes.acts(), ...new SourceView(page).acts() };
    const keys = new Keys(page, joined(own, acts), mode, questions);
    new ReadingKeys(page, readers);
    new Fit(page);
    new Phrases(page);
    if (!page.isPreview) new SelfSubmit(page);
    localTimes(root);
    if (root.dataset.hasErrors === "yes") page.beforePaint(() => focusOnProblem(page)); // when the dock is fitted
    queueMicrotask(() => kept.begin(keys)); // when the page is shown, before the next key
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

// The page's own keys win; a desk key that they override works with Shift.
function joined(all, own) {
  const moved = Object.entries(all).filter(([key]) => key in own);
  return { ...all, ...Object.fromEntries(moved.map(([key, act]) => [`shift+${key}`, act])), ...own };
}
