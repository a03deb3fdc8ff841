"""How large an area of each control takes a click or a tap."""

from playwright.sync_api import Page

CLICKED, TAPPED = 24, 44
"""Pixels that a control needs for a mouse and for a finger."""
SMALL = """([smallest, within]) => {  // what takes a click or a tap around the middle of a control, if too little
    const shown = (node, box) => box.width > 1 && box.right > 0 && box.bottom > 0 && node.checkVisibility(
        { visibilityProperty: true }) && !node.closest(".visually-hidden");
    const inSentence = (node) => node.matches("a, summary") && getComputedStyle(node).display === "inline"
        && node.parentElement.textContent.trim() !== node.textContent.trim();
    const label = (node) => (node.matches("[type=radio], [type=checkbox]") && node.labels[0]) || node;
    const scrollerOf = (node) => {
        let box = node.parentElement;
        while (box.parentElement && getComputedStyle(box).overflowY === "visible") box = box.parentElement;
        return box;
    };
    const scrollers = new Map();
    const takes = (node, x, y) => {
        if (!scrollers.has(node)) scrollers.set(node, scrollerOf(node));
        const { left, top, right, bottom } = scrollers.get(node).getBoundingClientRect();
        if (x < Math.max(0, left) || x >= Math.min(innerWidth, right)) return true;  // scrolled out: not known
        if (y < Math.max(0, top) || y >= Math.min(innerHeight, bottom)) return true;
        const hit = document.elementFromPoint(x, y), bar = hit?.closest(".desk-actions, .dimensions-steps");
        if (bar && !bar.contains(node)) return true;  // scrolled under the bar at the bottom
        return hit !== null && (node.contains(hit) || hit.closest("label")?.control === node);
    };
    const reach = (node, x, y, right, down) => {
        let pixels = 0;
        while (pixels < smallest && takes(node, x + right * (pixels + 1), y + down * (pixels + 1))) pixels += 1;
        return pixels;
    };
    const middle = (node) => {
        const box = node.getBoundingClientRect();
        return [box.left + box.width / 2, box.top + box.height / 2];
    };
    const isCovered = (node) => {  // also when it is scrolled into view, and by nothing that closes again
        const places = [];
        for (let box = node; box; box = box.parentElement) places.push([box, box.scrollLeft, box.scrollTop]);
        node.scrollIntoView({ block: "center", inline: "center" });
        const [x, y] = middle(node);
        const closes = "[popover], dialog, .pair-checklist";
        const is = !takes(node, x, y) && !document.elementFromPoint(x, y)?.closest(closes);
        for (const [box, left, top] of places) box.scrollTo({ left, top, behavior: "instant" });
        return is;
    };
    const found = [];
    const controls = "a[href], button, input:not([type=hidden]), select, textarea, summary, .card-name";
    for (const control of document.querySelectorAll(controls)) {
        const node = label(control), box = node.getBoundingClientRect();
        if (!control.closest(within) || !shown(control, box) || inSentence(control)) continue;
        const [x, y] = middle(node);
        if (!takes(node, x, y)) {
            if (isCovered(node)) found.push(`covered: ${control.outerHTML.replace(/\\s+/g, " ").slice(0, 120)}`);
            continue;
        }
        const width = 1 + reach(node, x, y, 1, 0) + reach(node, x, y, -1, 0);
        const height = 1 + reach(node, x, y, 0, 1) + reach(node, x, y, 0, -1);
        if (Math.min(width, height) < smallest - 1) {
            found.push(`${width} x ${height} px: ${control.outerHTML.replace(/\\s+/g, " ").slice(0, 120)}`);
        }
    }
    return found;
}"""


def small_targets(page: Page, smallest: int, within: str = "body") -> list[str]:
    """The controls in view that take a click on less than so many pixels in height or width, but no links in text.

    One that lies under something else, also when it is scrolled into view, takes none.
    """
    return page.evaluate(SMALL, [smallest, within])
