// Cards: folded or expanded; two can be pinned side by side with their differences marked.

import { gettext, ngettext } from "../gettext.js";
import { differences, isUnlike } from "../desk/diff.js";
import { pieces } from "../desk/words.js";

export class Cards {
  constructor(page, texts, effort) {
    Object.assign(this, { page, texts, effort, pinned: [] });
    this.node = page.root.querySelector(".cards");
    this.all = page.root.querySelector("[data-compact]");
    this.said = page.root.querySelector("[data-compared]");
    page.on(this.all, "click", () => this.toggleAll());
    for (const text of texts) {
      page.on(text.card.querySelector("[data-fold]"), "click", () => this.#fold(text, !text.card.classList.contains("is-short")));
      page.on(text.card.querySelector("[data-pin]"), "click", () => this.pin(text.letter));
    }
  }

  toggleAll() {
    const short = this.all.getAttribute("aria-pressed") !== "true";
    this.all.setAttribute("aria-pressed", String(short));
    for (const text of this.texts) this.#fold(text, short);
    if (!short) this.effort.used("expand");
  }

  #fold({ card }, short) {
    card.classList.toggle("is-short", short);
    card.querySelector("[data-fold]").setAttribute("aria-expanded", String(!short));
  }

  // Pin or unpin; a third one replaces the one pinned first.
  pin(letter) {
    const text = this.texts.find((one) => one.letter === letter);
    this.pinned = this.pinned.includes(text) ? this.pinned.filter((one) => one !== text) : [...this.pinned, text].slice(-2);
    if (this.pinned.includes(text)) this.effort.used("pin");
    for (const one of this.texts) {
      const on = this.pinned.includes(one);
      one.card.classList.toggle("is-pinned", on);
      one.card.querySelector("[data-pin]").setAttribute("aria-pressed", String(on));
      one.ranges.differences = [];
    }
    this.#compare();
  }

  #compare() {
    const [one, other] = this.pinned;
    const both = other !== undefined;
    this.page.root.querySelector("#main").classList.toggle("is-comparing", both);
    let said = one ? gettext("%(letter)s is pinned: pin another to compare", { letter: one.letter }) : "";
    if (both) {
      const words = [pieces(one.text), pieces(other.text)];
      const found = differences(...words);
      const unlike = isUnlike(found, words);
      [one, other].forEach((text, place) => {
        this.#fold(text, false);
        text.ranges.differences = (unlike ? [] : found[place]).map(([first, last]) => ({
          start: words[place][first].start, end: words[place][last].end, kind: "difference",
        }));
      });
      const count = Math.max(found[0].length, found[1].length);
      const pair = this.pinned.map((text) => text.letter).sort().join(gettext(" and "));
      if (unlike) said = gettext("%(pair)s: nearly everything differs, nothing is marked", { pair });
      else said = count ? ngettext("%(pair)s: %(n)s place differs", "%(pair)s: %(n)s places differ", count, { pair }) : gettext("%(pair)s have the same words", { pair });
      one.scroll.scrollTop = 0;
    }
    for (const text of this.texts) text.paint();
    this.said.textContent = said;
    this.page.announce(said || gettext("Nothing is pinned."));
  }
}
