// Puts a text with its marks into its element. The text of a conversation is in several elements, one after the
// other; a mark over a border between them becomes two.

// The length of each piece in units of `text`, whose line ends the browser may have changed.
function lengths(pieces, text) {
  let place = 0;
  return pieces.map((piece) => {
    const start = place;
    for (let left = piece.textContent.length; left > 0; left--) place += text.startsWith("\r\n", place) ? 2 : 1;
    return place - start;
  });
}

// Split a string or an element with text after `count` units: [before, after].
function split(part, count) {
  if (typeof part === "string") return [part.slice(0, count), part.slice(count)];
  const [before, after] = [part.cloneNode(false), part.cloneNode(false)];
  let left = count;
  for (const child of [...part.childNodes]) {
    const size = child.textContent.length;
    if (size <= left) before.append(child);
    else if (left <= 0) after.append(child);
    else {
      const [first, second] = split(child.nodeType === Node.TEXT_NODE ? child.data : child, left);
      before.append(first);
      after.append(second);
    }
    left -= size;
  }
  return [before, after];
}

const size = (part) => (typeof part === "string" ? part.length : part.textContent.length);
const known = new WeakMap();

export function fill(node, parts, text) {
  if (!known.has(node)) {
    const pieces = [...node.querySelectorAll("[data-piece]")];
    known.set(node, { pieces, sizes: lengths(pieces, text) });
  }
  const { pieces, sizes } = known.get(node);
  if (parts.some((part) => part.className && part.className !== "invisible")) node.dispatchEvent(new Event("desk:marked", { bubbles: true }));
  if (!pieces.length) return node.replaceChildren(...parts);
  const waiting = [...parts];
  pieces.forEach((piece, number) => {
    const own = [];
    for (let left = sizes[number]; left > 0 && waiting.length; ) {
      let part = waiting.shift();
      if (size(part) > left) {
        const [before, after] = split(part, left);
        part = before;
        waiting.unshift(after);
      }
      left -= size(part);
      own.push(part);
    }
    piece.replaceChildren(...own);
  });
}
