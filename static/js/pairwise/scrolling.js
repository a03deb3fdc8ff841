// The two columns scroll together, in proportion to their lengths, or separately.

import { remember, remembered } from "../desk/switches.js";

const SWITCH = "desk-together";

export class Scrolling {
  constructor(page) {
    this.page = page;
    this.button = page.root.querySelector("#together");
    this.scrollers = [...page.root.querySelectorAll('[data-scroll^="output-"]')];
    this.led = new Map(); // positions set by this script: their scroll events must not move the other column
    page.on(this.button, "click", () => this.toggle());
    for (const scroller of this.scrollers) page.on(scroller, "scroll", () => this.#follow(scroller), { passive: true });
    // Up and down scroll a focused text that is longer than its column; otherwise they answer.
    for (const scroller of page.root.querySelectorAll("[data-scroll]")) {
      page.on(scroller, "keydown", (event) => {
        if (["ArrowUp", "ArrowDown"].includes(event.key) && overflow(scroller) > 0) event.stopPropagation();
      });
    }
    this.#set(remembered(SWITCH, true));
  }

  toggle() {
    this.#set(!this.together);
    remember(SWITCH, this.together);
    if (this.together) this.#follow(this.scrollers[0]);
  }

  #set(on) {
    this.together = on;
    this.button.setAttribute("aria-pressed", String(on));
  }

  #follow(leader) {
    if (this.led.get(leader) === Math.round(leader.scrollTop)) return;
    this.led.delete(leader);
    if (!this.together) return;
    const part = overflow(leader) > 0 ? leader.scrollTop / overflow(leader) : 0;
    for (const other of this.scrollers) {
      if (other === leader) continue;
      other.scrollTop = part * overflow(other);
      this.led.set(other, Math.round(other.scrollTop));
    }
  }

  // What the reading keys scroll. On a small screen both columns are in one pane, which scrolls instead.
  readers() {
    const columns = this.page.root.querySelector("#pair");
    const output = overflow(columns) > 0 ? [columns] : this.together ? [this.#longest()] : this.scrollers;
    return { output, document: [this.page.root.querySelector("#brief")] };
  }

  #longest() {
    return this.scrollers.reduce((one, other) => (overflow(other) > overflow(one) ? other : one));
  }
}

function overflow(scroller) {
  return getComputedStyle(scroller).overflowY === "visible" ? 0 : scroller.scrollHeight - scroller.clientHeight;
}
