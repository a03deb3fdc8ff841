// How long the page was visible and active (input within the last 30 s), and how often each reading aid was used.
// The server adds up reports: reported amounts are subtracted here and restored if the report failed.

const ACTIVE = 30;
const SIGNS = ["pointermove", "pointerdown", "keydown", "wheel", "scroll", "touchstart"];

export class Effort {
  constructor(page, clock = () => performance.now() / 1000) {
    this.clock = clock;
    this.visible = this.active = 0;
    this.use = {};
    this.last = clock();
    this.until = this.last + ACTIVE;
    this.showing = document.visibilityState === "visible";
    for (const sign of SIGNS) page.on(document, sign, () => this.#sign(), { passive: true, capture: true });
    page.on(document, "visibilitychange", () => {
      this.#settle();
      this.showing = document.visibilityState === "visible";
    });
  }

  used(aid) {
    this.use[aid] = (this.use[aid] ?? 0) + 1;
  }

  #sign() {
    const now = this.#settle();
    this.until = now + ACTIVE;
  }

  #settle() {
    const now = this.clock();
    if (this.showing) {
      this.visible += now - this.last;
      this.active += Math.max(0, Math.min(now, this.until) - this.last);
    }
    this.last = now;
    return now;
  }

  take() {
    this.#settle();
    const taken = { visible: this.visible, active: this.active, use: this.use };
    this.visible = this.active = 0;
    this.use = {};
    return taken;
  }

  putBack({ visible, active, use }) {
    this.visible += visible;
    this.active += active;
    for (const [aid, count] of Object.entries(use)) this.use[aid] = (this.use[aid] ?? 0) + count;
  }
}

export function write(effort, body) {
  body.set("visible_seconds", effort.visible.toFixed(1));
  body.set("active_seconds", effort.active.toFixed(1));
  body.set("tool_use", JSON.stringify(effort.use));
  return body;
}
