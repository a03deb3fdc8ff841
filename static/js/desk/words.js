// What a word is, the same on the server: `pieces` are the words of annotation/desk/word_places.py, with single marks
// between them as in sessions/comparing/word_pieces.py; `countWords` counts as agreement/text_lengths.py does. In
// scripts without spaces each character is a word.

const UNSPACED = "\\u0e00-\\u0eff\\u1000-\\u109f\\u1780-\\u17ff\\u3040-\\u30ff\\u3400-\\u9fff\\uf900-\\ufaff\\u{20000}-\\u{3ffff}";
const SPACE = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000"; // of Python, which has no BOM among them
const SIGN = "[\\p{L}\\p{N}]";
const LETTER = `(?![${UNSPACED}])${SIGN}`;
const RUN = `(?:${LETTER}|\\p{M})+`;
const JOINED = `(?:['’\\u200c\\u200d]|(?<=\\p{Nd})[.,\\u066b\\u066c](?=\\p{Nd}))(?=${LETTER}|\\p{M})${RUN}`;
const WORD = `(?=[${UNSPACED}])${SIGN}\\p{M}*|${RUN}(?:${JOINED})*`;
const EXTENDING = "[\\u0300-\\u036f\\u20d0-\\u20ff\\ufe00-\\ufe0f\\u{1f3fb}-\\u{1f3ff}\\u{e0020}-\\u{e007f}]*";
const MARK = `[\\u{1f1e6}-\\u{1f1ff}]{2}|[^${SPACE}]${EXTENDING}(?:\\u200d[^\\p{L}\\p{N}_${SPACE}]${EXTENDING})*`;
const PIECE = new RegExp(`${WORD}|${MARK}`, "gu");
const REST = `[^\\p{L}\\p{N}_${SPACE}]*`; // punctuation, and what combines with a character
const COUNTED = new RegExp(`${REST}(?=[${UNSPACED}])[\\p{L}\\p{N}_]${REST}|[^${SPACE}${UNSPACED}]+`, "gu");
const LETTERS = new RegExp(SIGN, "u");

// [{start, end, text}] in UTF-16 units.
export function pieces(text) {
  const found = [];
  const words = new RegExp(PIECE); // a copy with its own lastIndex; matchAll is four times slower
  for (let match = words.exec(text); match; match = words.exec(text)) {
    found.push({ start: match.index, end: match.index + match[0].length, text: match[0] });
  }
  return found;
}

export function isWord({ text }) {
  return LETTERS.test(text);
}

export function countWords(text) {
  return (text.match(COUNTED) ?? []).length;
}
