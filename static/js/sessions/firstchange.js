// Brings the first change of a new answer into view, in its text or in its changes, a few lines below the top.

export function showFirstChange(root) {
  const pane = root.querySelector('[data-scroll="answer"]');
  const first = root.querySelector(".changes :is(ins, del)");
  if (!first || !pane) return;
  const box = (first.checkVisibility() ? first : placeInText(root, lettersBefore(first)))?.getBoundingClientRect();
  if (!box) return;
  const view = pane.getBoundingClientRect();
  if (box.top < view.top || box.top > view.top + view.height / 2) pane.scrollTop += box.top - view.top - view.height / 5;
}

// How many letters and digits of the new answer come before a change. Markup has none, so that the same number leads
// to the same place in a formatted answer; a typeset formula says how many its source has.
function lettersBefore(change) {
  let count = 0;
  for (const node of textsOf(change.closest(".changes"))) {
    if (change.contains(node)) return count;
    if (!node.parentElement.closest("del, summary, .break")) count += lettersOf(node.data).length;
  }
  return count;
}

function placeInText(root, count) {
  const body = root.querySelector("#answer-text .answer-body");
  let [left, range] = [count, null];
  const seen = new Set();
  for (const node of body ? textsOf(body) : []) {
    const formula = node.parentElement.closest("[data-letters]");
    if (seen.has(formula)) continue;
    if (formula) {
      seen.add(formula);
      range = document.createRange();
      range.selectNode(formula);
      if (formula.dataset.letters > left) break;
      left -= formula.dataset.letters;
      continue;
    }
    const letters = lettersOf(node.data);
    if (!letters.length) continue;
    const { index, 0: letter } = letters[left] ?? letters.at(-1); // the last one, if only the end was removed
    range = document.createRange();
    range.setStart(node, index);
    range.setEnd(node, index + letter.length);
    if (letters.length > left) break;
    left -= letters.length;
  }
  return range;
}

function lettersOf(text) {
  return [...text.matchAll(/[\p{L}\p{N}]/gu)];
}

function* textsOf(node) {
  const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) yield walker.currentNode;
}
