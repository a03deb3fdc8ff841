// The reader's text size and pane widths. Kept in this browser; first.js sets them before the first paint.

import { readingDirection } from "../direction.js";
import { gettext } from "../gettext.js";

const TEXT = "text-size";
const WIDTHS = "pane-widths";
const SIZES = [0.85, 1, 1.15, 1.3, 1.5, 1.75];
const STEP = 2;

export class Sizes {
  constructor(page) {
    this.page = page;
    const press = (id, act) => page.on(page.root.querySelector(id), "click", act);
    press("#text-smaller", () => this.text(-1));
    press("#text-larger", () => this.text(1));
    press("#sizes-reset", () => this.reset());
    for (const line of page.root.querySelectorAll(".splitter")) this.#split(line);
    page.beforePaint(() => this.#show());
  }

  acts() {
    return { "+": () => this.text(1), "=": () => this.text(1), "-": () => this.text(-1) };
  }

  get size() {
    return Number(style().getPropertyValue("--size")) || 1;
  }

  text(by) {
    const now = SIZES.findIndex((size) => size >= this.size - 0.01);
    const size = SIZES[Math.min(SIZES.length - 1, Math.max(0, now + by))];
    style().setProperty("--size", String(size));
    this.#keep(TEXT, String(size));
    this.#changed();
    this.page.announce(gettext("Text size %(percent)s %.", { percent: Math.round(size * 100) }));
  }

  reset() {
    for (const name of [...style()].filter((one) => one === "--size" || one.startsWith("--pane-"))) style().removeProperty(name);
    this.#keep(TEXT, "1");
    this.#keep(WIDTHS, "{}");
    this.#changed();
    this.page.announce(gettext("Usual sizes."));
  }

  #split(line) {
    const page = this.page;
    const drag = (event) => this.#set(line, this.#under(line, event.clientX));
    page.on(line, "pointerdown", (event) => {
      event.preventDefault();
      line.setPointerCapture(event.pointerId);
      line.classList.add("is-held");
      line.addEventListener("pointermove", drag, { signal: page.signal });
    });
    for (const end of ["pointerup", "pointercancel"]) {
      page.on(line, end, () => {
        line.classList.remove("is-held");
        line.removeEventListener("pointermove", drag);
      });
    }
    page.on(line, "keydown", (event) => {
      const by = { ArrowLeft: -STEP * readingDirection(), ArrowRight: STEP * readingDirection() }[event.key];
      if (!by) return;
      event.preventDefault();
      this.#set(line, this.#width(line) + (isAfter(line) ? -by : by));
    });
  }

  // The width in percent of the pane that the line sets: the one before it, or the last one.
  #width(line) {
    const box = line.getBoundingClientRect();
    return this.#under(line, (box.left + box.right) / 2);
  }

  #under(line, x) {
    const all = this.page.root.querySelector("#main").getBoundingClientRect();
    return (100 * (isAfter(line) === readingDirection() > 0 ? all.right - x : x - all.left)) / all.width;
  }

  #set(line, wanted) {
    const width = Math.min(60, Math.max(15, Math.round(wanted * 10) / 10));
    style().setProperty(`--pane-${line.dataset.width}`, `${width}%`);
    this.#keep(WIDTHS, JSON.stringify({ ...kept(), [line.dataset.width]: width }));
    this.#changed();
  }

  #show() {
    this.page.root.querySelector("#text-size").textContent = `${Math.round(this.size * 100)} %`;
    for (const line of this.page.root.querySelectorAll(".splitter")) line.setAttribute("aria-valuenow", String(Math.round(this.#width(line))));
  }

  #changed() {
    this.#show();
    window.dispatchEvent(new Event("resize")); // what depends on sizes measures again
  }

  #keep(name, value) {
    try {
      window.localStorage.setItem(name, value);
    } catch {
      this.page.message(gettext("This browser does not save settings. The usual sizes will be back next time."));
    }
  }
}

function style() {
  return document.documentElement.style;
}

function isAfter(line) {
  return ["board", "turns"].includes(line.dataset.width);
}

function kept() {
  try {
    return JSON.parse(window.localStorage.getItem(WIDTHS) ?? "{}");
  } catch {
    return {};
  }
}
