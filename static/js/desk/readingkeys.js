// Keys that read: arrows, Space, Page Up, Page Down, Home and End scroll the output, with Shift the document; in an
// open dialog they scroll the dialog. Keys that answer or move something come first, and so does a focused text.

const WRITING = "textarea, select, [contenteditable], input:not([type=radio], [type=checkbox])";
const PRESSED_BY_SPACE = "button, summary, input";
const OWN_ARROWS = "[role=tab], [role=separator]";
const LINE = 48;
const PAGE = 0.85;
const BY = {
  ArrowDown: (node) => (node.scrollTop += LINE),
  ArrowUp: (node) => (node.scrollTop -= LINE),
  PageDown: (node) => (node.scrollTop += PAGE * node.clientHeight),
  PageUp: (node) => (node.scrollTop -= PAGE * node.clientHeight),
  " ": (node) => (node.scrollTop += PAGE * node.clientHeight),
  Home: (node) => (node.scrollTop = 0),
  End: (node) => (node.scrollTop = node.scrollHeight),
};

export class ReadingKeys {
  // `readers()` gives {output: [nodes], document: [nodes]}: what scrolls with each.
  constructor(page, readers = () => usual(page.root)) {
    Object.assign(this, { page, readers, pointed: false });
    page.on(document, "pointerdown", () => (this.pointed = true), { capture: true });
    page.on(document, "keydown", (event) => this.#down(event));
  }

  #down(event) {
    if (event.key === "Tab") this.pointed = false;
    const scroll = BY[event.key];
    if (!scroll || event.hasScrolled || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!(event.target instanceof Element) || this.#isTaken(event)) return;
    const nodes = this.#nodes(event);
    if (!nodes.length) return;
    nodes.forEach(scroll);
    event.preventDefault();
  }

  // Whether the key already means something where the focus is.
  #isTaken({ key, target, shiftKey }) {
    if (target.closest(WRITING)) return true;
    if (key === " ") return target.matches(PRESSED_BY_SPACE);
    if (shiftKey && !document.getSelection().isCollapsed) return true; // extends the selection
    if (!key.startsWith("Arrow")) return false;
    return target.matches(OWN_ARROWS) || (target.matches("[type=radio]") && !this.pointed); // a mouse left it there
  }

  #nodes({ target, shiftKey }) {
    const over = document.querySelector("dialog[open], [popover]:popover-open");
    if (over) return [over.querySelector(".dialog-body")].filter((node) => node && !node.contains(target));
    const focused = target.closest('[tabindex="0"]');
    if (focused && !shiftKey && scrolls(focused)) return []; // the browser does it
    const { output, document: source } = this.readers();
    const wanted = (shiftKey ? source : output).filter(isSeen);
    if (wanted.some(scrolls)) return wanted;
    if (scrolls(document.scrollingElement)) return [document.scrollingElement];
    return wanted.length ? [] : [...output, ...source].filter(isSeen); // the text behind the open tab
  }
}

function usual(root) {
  const found = (names) => names.flatMap((name) => [...root.querySelectorAll(`[data-scroll="${name}"]`)]);
  return { output: found(["output", "answer"]), document: found(["document", "papers"]) };
}

function isSeen(node) {
  return node.checkVisibility({ visibilityProperty: true });
}

function scrolls(node) {
  const own = node === document.scrollingElement || getComputedStyle(node).overflowY !== "visible";
  return own && node.scrollHeight > node.clientHeight;
}
