// The two columns scroll together, each through its own length, or apart.

import { remember, remembered } from "./switches.js";

const SWITCH = "desk-together";
const PAGE = 0.85;

export class Scrolling {
  constructor(page) {
    this.page = page;
    this.button = page.root.querySelector("#together");
    this.scrollers = [...page.root.querySelectorAll('[data-scroll^="output-"]')];
    this.led = new Map(); // where a column was put by us: its own scroll event must not lead the other back
    page.on(this.button, "click", () => this.toggle());
    for (const scroller of this.scrollers) page.on(scroller, "scroll", () => this.#follow(scroller), { passive: true });
    // Up and down belong to a text that has the focus and is longer than its column, not to the answers.
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

  // On a small screen both stand in one pane, which scrolls instead of them.
  turn(by) {
    const columns = this.page.root.querySelector("#pair");
    const moving = overflow(columns) > 0 ? [columns] : this.together ? [this.#longest()] : this.scrollers;
    for (const one of moving) one.scrollTop += by * PAGE * one.clientHeight;
  }

  #longest() {
    return this.scrollers.reduce((one, other) => (overflow(other) > overflow(one) ? other : one));
  }
}

function overflow(scroller) {
  return getComputedStyle(scroller).overflowY === "visible" ? 0 : scroller.scrollHeight - scroller.clientHeight;
}
