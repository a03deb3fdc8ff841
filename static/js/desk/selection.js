// The browser's selection in the offsets of a text, which marks around its words do not change.

function offset(reading, node, place) {
  const range = document.createRange();
  range.setStart(reading.node, 0);
  range.setEnd(node, place);
  return range.toString().length;
}

// [start, end) of what is selected in `reading`, both 0 or the text's length where the selection reaches beyond; or null.
export function selectedIn(reading) {
  const selection = document.getSelection();
  if (!selection.rangeCount || selection.isCollapsed) return null;
  const range = selection.getRangeAt(0);
  if (!range.intersectsNode(reading.node)) return null;
  const starts = reading.node.contains(range.startContainer);
  const ends = reading.node.contains(range.endContainer);
  if (!starts && !ends) return null; // all of the page was selected: that chooses no word
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

// Paint anew without taking the selection away from whoever is about to copy it.
export function paintKeeping(reading) {
  const selected = selectedIn(reading);
  reading.paint();
  if (!selected) return;
  const [start, end] = selected.map((place) => point(reading, place));
  document.getSelection().setBaseAndExtent(...start, ...end);
}
