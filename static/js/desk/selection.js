// The browser's selection as offsets of a text, unaffected by marks around its words.

function offset(reading, node, place) {
  const range = document.createRange();
  range.setStart(reading.node, 0);
  range.setEnd(node, place);
  return range.toString().length;
}

// [start, end) of the selection in `reading`, clipped to the text; or null.
export function selectedIn(reading) {
  const selection = document.getSelection();
  if (!selection.rangeCount || selection.isCollapsed) return null;
  const range = selection.getRangeAt(0);
  if (!range.intersectsNode(reading.node)) return null;
  const starts = reading.node.contains(range.startContainer);
  const ends = reading.node.contains(range.endContainer);
  if (!starts && !ends) return null; // the whole page was selected, which is not a choice of words
  const start = starts ? offset(reading, range.startContainer, range.startOffset) : 0;
  const end = ends ? offset(reading, range.endContainer, range.endOffset) : reading.text.length;
  return start < end ? [start, end] : null;
}

function point(reading, target) {
  const walker = document.createTreeWalker(reading.node, NodeFilter.SHOW_TEXT);
  let left = target;
  let node = walker.nextNode();
  while (node && left > node.length) {
    left -= node.length;
    node = walker.nextNode() ?? node;
    if (!walker.currentNode) break;
  }
  return node ? [node, Math.min(left, node.length)] : [reading.node, 0];
}

export function selectIn(reading, start, end) {
  document.getSelection().setBaseAndExtent(...point(reading, start), ...point(reading, end));
}

// Repaint without losing the selection, which somebody may be about to copy.
export function paintKeeping(reading) {
  const selected = selectedIn(reading);
  reading.paint();
  if (!selected) return;
  selectIn(reading, ...selected);
}
