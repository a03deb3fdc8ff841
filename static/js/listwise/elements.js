// Elements of the board and of lists of marks.

import { gettext } from "../gettext.js";

export function element(name, kind, data = {}, text = "") {
  const node = document.createElement(name);
  node.className = kind;
  Object.assign(node.dataset, data);
  node.textContent = text;
  return node;
}

// The button that puts the letter that waits into a row, or off the board (row 0).
export function putButton(letter, row, letters = []) {
  const button = element("button", row ? "tier-number" : "tier-number tier-off", { put: String(row), of: letter }, row ? String(row) : "⌫");
  button.type = "button";
  button.setAttribute("aria-label", name(letter, row, letters.filter((one) => one !== letter)));
  return button;
}

function name(letter, row, others) {
  if (!row) return gettext("Take %(letter)s off the board", { letter });
  if (!others.length) return gettext("Put %(letter)s into row %(row)s", { letter, row });
  return gettext("Put %(letter)s into row %(row)s, with %(others)s", { letter, row, others: others.join(gettext(" and ")) });
}
