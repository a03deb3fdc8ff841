// Ranks on a board: {letter: row}, rows from 1, without unranked outputs. Pure functions.

export function isComplete(ranks, letters) {
  return letters.every((letter) => ranks[letter]);
}

// Without gaps: after a tie the next rank is the next number.
export function closed(ranks) {
  const used = [...new Set(Object.values(ranks))].sort((a, b) => a - b);
  return Object.fromEntries(Object.entries(ranks).map(([letter, rank]) => [letter, used.indexOf(rank) + 1]));
}

export function without(ranks, letter) {
  return Object.fromEntries(Object.entries(ranks).filter(([one]) => one !== letter));
}

// `letter` in `row`. Without ties, the output already there moves down by one, and those below as far as needed.
export function placed(ranks, letter, row, { ties, rows }) {
  const others = without(ranks, letter);
  if (ties) return { ...others, [letter]: row };
  const taken = new Map(Object.entries(others).map(([one, rank]) => [rank, one]));
  const shift = (step) => {
    const moved = { ...others };
    for (let at = row; taken.has(at); at += step) {
      if (at + step < 1 || at + step > rows) return null;
      moved[taken.get(at)] = at + step;
    }
    return moved;
  };
  const moved = shift(1) ?? shift(-1);
  return moved && { ...moved, [letter]: row };
}

// `letter` in a row of its own before `row`; null if no row is left.
export function between(ranks, letter, row, { rows }) {
  const others = without(ranks, letter);
  const moved = { ...others, [letter]: row - 0.5 };
  const made = closed(moved);
  return Math.max(...Object.values(made)) > rows ? null : made;
}

// Half a row up (-1) or down (1): from a shared row into one of its own, or from its own onto the next.
export function stepped(ranks, letter, by, options) {
  const row = ranks[letter];
  if (!row) return placed(ranks, letter, by > 0 ? 1 : options.rows, options);
  const shares = Object.entries(ranks).some(([one, rank]) => one !== letter && rank === row);
  if (shares) return between(ranks, letter, by > 0 ? row + 1 : row, options);
  const next = Object.entries(without(ranks, letter)).map(([, rank]) => rank).filter((rank) => (rank - row) * by > 0);
  if (!next.length) return null;
  const nearest = by > 0 ? Math.min(...next) : Math.max(...next);
  if (options.ties) return { ...ranks, [letter]: nearest };
  return Object.fromEntries(Object.entries(ranks).map(([one, rank]) => [one, one === letter ? nearest : rank === nearest ? row : rank]));
}
