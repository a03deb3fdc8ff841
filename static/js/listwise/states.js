// The state of a question's panel, in a word.

import { gettext } from "../gettext.js";
import { shareOf } from "../desk/completeness.js";

export function stateOf(panel) {
  const questions = [...panel.querySelectorAll(".question")].filter((question) => !question.disabled);
  if (!questions.length) return { kind: "done", word: gettext("not asked") };
  const parts = questions.map(shareOf);
  const done = parts.reduce((sum, part) => sum + part.done, 0);
  const all = parts.reduce((sum, part) => sum + part.all, 0);
  if (parts.every((part) => part.done >= part.all)) return { kind: "done", word: gettext("done") };
  const optional = questions.every((question) => question.dataset.required !== "yes");
  if (!done) return { kind: "empty", word: optional ? gettext("optional") : gettext("open") };
  return { kind: "partial", word: gettext("%(done)s of %(all)s", { done, all }) };
}
