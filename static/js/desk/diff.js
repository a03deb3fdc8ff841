// Where two texts differ, word by word: what is left of each when the longest row of words common to both is taken out.

const WORD = /[\p{L}\p{M}\p{N}]+(?:['’-][\p{L}\p{M}\p{N}]+)*|[^\s\p{L}\p{M}\p{N}]/gu;
const LETTER = /[\p{L}\p{N}]/u;
const MOST_CELLS = 9_000_000; // two texts of 3,000 words: more would be felt

// [{start, end, text}] in UTF-16 units; a word, or one mark that is neither letter nor space.
export function tokens(text) {
  return [...text.matchAll(WORD)].map(({ 0: word, index }) => ({ start: index, end: index + word.length, text: word }));
}

// Two lists of ranges [first, last] of tokens, inclusive: what only the one text has, and only the other.
export function differences(one, other) {
  let from = 0;
  while (from < one.length && from < other.length && one[from].text === other[from].text) from++;
  let [end, otherEnd] = [one.length, other.length];
  while (end > from && otherEnd > from && one[end - 1].text === other[otherEnd - 1].text) [end, otherEnd] = [end - 1, otherEnd - 1];
  const rest = one.slice(from, end);
  const kept = solid(common(rest, other.slice(from, otherEnd)), rest);
  return [gaps(kept.map(([place]) => place), from, end), gaps(kept.map(([, place]) => place), from, otherEnd)];
}

// Places [in the one, in the other] of a longest common subsequence; none where that would take too long.
function common(one, other) {
  const [height, width] = [one.length, other.length + 1];
  if (height * width > MOST_CELLS) return [];
  const lengths = new Uint16Array((height + 1) * width);
  for (let row = height - 1; row >= 0; row--) {
    for (let column = width - 2; column >= 0; column--) {
      const at = row * width + column;
      const same = one[row].text === other[column].text;
      lengths[at] = same ? lengths[at + width + 1] + 1 : Math.max(lengths[at + width], lengths[at + 1]);
    }
  }
  const places = [];
  for (let row = 0, column = 0; row < height && column < width - 1; ) {
    const at = row * width + column;
    if (one[row].text === other[column].text) places.push([row++, column++]);
    else if (lengths[at + width] >= lengths[at + 1]) row++;
    else column++;
  }
  return places;
}

// Without the runs of nothing but punctuation: a comma that both have by chance says nothing of what is the same.
function solid(places, one) {
  const runs = [];
  for (const [row, column] of places) {
    const last = runs.at(-1)?.at(-1);
    if (last && last[0] + 1 === row && last[1] + 1 === column) runs.at(-1).push([row, column]);
    else runs.push([[row, column]]);
  }
  return runs.filter((run) => run.some(([row]) => LETTER.test(one[row].text))).flat();
}

// The stretches of from..end (exclusive) that lie between the `kept` places, which count from `from`.
function gaps(kept, from, end) {
  const found = [];
  let next = from;
  for (const place of [...kept.map((one) => one + from), end]) {
    if (place > next) found.push([next, place - 1]);
    next = place + 1;
  }
  return found;
}
