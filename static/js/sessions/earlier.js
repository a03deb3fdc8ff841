// What this computer kept for a step that the session has left, as after a closed tab: shown, and then let go.

const STEP = "q-:at";

export function showEarlier(page, keep) {
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
  notice.append("The session went on elsewhere. This computer had kept what you typed for an earlier step: ", said);
  page.root.querySelector('[data-part="notices"]').append(notice);
}
