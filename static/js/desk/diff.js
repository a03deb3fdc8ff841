// Word-by-word differences of two texts: the words of each that are not in their longest common subsequence.

import { isWord } from "./words.js";

const MOST_MARKED = 0.85;
const MOST_CELLS = 9_000_000; // two texts of 3,000 words each take about 0.3 s

// Of two texts' pieces: two lists of inclusive ranges [first, last]: those only in the first text, those only in the second.
export function differences(one, other) {
  let from = 0;
  while (from < one.length && from < other.length && one[from].text === other[from].text) from++;
  let [end, otherEnd] = [one.length, other.length];
  while (end > from && otherEnd > from && one[end - 1].text === other[otherEnd - 1].text) [end, otherEnd] = [end - 1, otherEnd - 1];
  const rest = one.slice(from, end);
  const kept = solid(common(rest, other.slice(from, otherEnd)), rest);
  return [gaps(kept.map(([place]) => place), from, end), gaps(kept.map(([, place]) => place), from, otherEnd)];
}

// Whether two texts have so little in common that marks would cover nearly all of both.
export function isUnlike(found, texts) {
  const marked = found.flat().reduce((sum, [first, last]) => sum + last - first + 1, 0);
  return marked > MOST_MARKED * (texts[0].length + texts[1].length);
}

// Index pairs [first, second] of a longest common subsequence; empty if computing it would take too long.
function common(one, other) {
  const [height, width] = [one.length, other.length + 1];
  if (height * width > MOST_CELLS) return [];
  const numbers = new Map();
  const [ones, others] = [one, other].map((words) => Int32Array.from(words, (word) => numbered(numbers, word.text)));
  const lengths = new Uint16Array((height + 1) * width);
  for (let row = height - 1; row >= 0; row--) {
    for (let column = width - 2; column >= 0; column--) {
      const at = row * width + column;
      lengths[at] = ones[row] === others[column] ? lengths[at + width + 1] + 1 : Math.max(lengths[at + width], lengths[at + 1]);
    }
  }
  const places = [];
  for (let row = 0, column = 0; row < height && column < width - 1; ) {
    const at = row * width + column;
    if (ones[row] === others[column]) places.push([row++, column++]);
    else if (lengths[at + width] >= lengths[at + 1]) row++;
    else column++;
  }
  return places;
}

function numbered(numbers, word) {
  if (!numbers.has(word)) numbers.set(word, numbers.size);
  return numbers.get(word);
}

// Drops runs that are only punctuation: a comma that happens to be in both texts is not a similarity.
function solid(places, one) {
  const runs = [];
  for (const [row, column] of places) {
    const last = runs.at(-1)?.at(-1);
    if (last && last[0] + 1 === row && last[1] + 1 === column) runs.at(-1).push([row, column]);
    else runs.push([[row, column]]);
  }
  return runs.filter((run) => run.some(([row]) => isWord(one[row]))).flat();
}

// The ranges of from..end (exclusive) between the `kept` indexes, which count from `from`.
function gaps(kept, from, end) {
  const found = [];
  let next = from;
  for (const place of [...kept.map((one) => one + from), end]) {
    if (place > next) found.push([next, place - 1]);
    next = place + 1;
  }
  return found;
}
