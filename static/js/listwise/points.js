// Positions in a text: the browser counts UTF-16 units, stored spans count code points. Also paints marks over a text
// without changing it.

import { fill } from "../desk/pieces.js";

function inPair(text, unit) {
  const before = text.charCodeAt(unit - 1);
  const after = text.charCodeAt(unit);
  return before >= 0xd800 && before < 0xdc00 && after >= 0xdc00 && after < 0xe000;
}

export function points(text, unit) {
  let count = 0;
  for (let place = 0; place < unit; place += text.codePointAt(place) > 0xffff ? 2 : 1) count++;
  return count;
}

export function units(text, point) {
  let unit = 0;
  for (let left = point; left > 0 && unit < text.length; left--) unit += text.codePointAt(unit) > 0xffff ? 2 : 1;
  return unit;
}

// [start, end) in units, widened to whole characters and without blanks at its ends; null if nothing is left.
export function passage(text, start, end) {
  if (inPair(text, start)) start--;
  if (inPair(text, end)) end++;
  while (start < end && /\s/u.test(text[start])) start++;
  while (end > start && /\s/u.test(text[end - 1])) end--;
  if (start >= end) return null;
  return { start: points(text, start), end: points(text, end), text: text.slice(start, end) };
}

// `ranges` [{start, end, kind, data}] in units may overlap: each piece gets the kinds of all that cover it.
export function paint(node, text, ranges) {
  const edges = [...new Set([0, text.length, ...ranges.flatMap(({ start, end }) => [start, end])])].sort((a, b) => a - b);
  const parts = [];
  for (let place = 0; place + 1 < edges.length; place++) {
    const [start, end] = [edges[place], edges[place + 1]];
    const over = ranges.filter((range) => range.start < end && range.end > start);
    const piece = text.slice(start, end);
    if (!over.length) {
      parts.push(piece);
      continue;
    }
    const mark = document.createElement("mark");
    mark.className = [...new Set(over.map((range) => range.kind))].join(" ");
    for (const range of over) Object.assign(mark.dataset, range.data ?? {});
    mark.textContent = piece;
    parts.push(mark);
  }
  fill(node, parts, text);
}
