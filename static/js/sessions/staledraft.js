// Shows once what this browser kept for a step that the session has left, such as after a tab was closed.

import { gettext } from "../gettext.js";

const STEP = "q-:at";

export function showStaleDraft(page, keep) {
  const kept = keep.read("draft");
  const now = page.answers()[STEP]?.[0];
  if (!kept || !now || !kept.answers[STEP] || kept.answers[STEP][0] === now) return;
  keep.drop("draft");
  const texts = Object.entries(kept.answers).filter(([name]) => name !== STEP).flatMap(([, values]) => values);
  if (!texts.length) return;
  const notice = document.createElement("p");
  const said = document.createElement("bdi");
  notice.className = "notice warning conflict-typed";
  said.className = "plain-text";
  said.textContent = texts.join("\n");
  notice.append(`${gettext("You continued this session elsewhere. This browser kept what you typed for an earlier step:")} `, said);
  page.root.querySelector('[data-part="notices"]').append(notice);
}
