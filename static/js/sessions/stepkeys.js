// The keys [ and ] go to the previous and next change or citation in the view that is open.

import { gettext } from "../gettext.js";

export class StepKeys {
  constructor(page, views) {
    Object.assign(this, { page, views });
    page.on(document, "keydown", (event) => {
      const step = { "[": -1, "]": 1 }[event.key];
      if (!step || event.target.closest("textarea, select, input:not([type=radio])")) return;
      if (document.documentElement.classList.contains("keys-off")) return;
      event.preventDefault();
      this.go(step);
    });
  }

  go(step) {
    const changes = this.views.current === "changes";
    const places = [...this.page.root.querySelectorAll(changes ? ".changes :is(ins, del)" : `#answer-${this.views.current} a.citation`)];
    if (!places.length) return;
    const now = places.findIndex((place) => (changes ? place.classList.contains("now") : place === document.activeElement));
    const next = places.at(now < 0 ? (step > 0 ? 0 : -1) : (now + step) % places.length);
    places[now]?.classList.remove("now");
    if (changes) next.classList.add("now");
    else next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "nearest" });
    const text = next.textContent.trim();
    if (next.matches("del")) this.page.announce(gettext("removed: %(text)s", { text }));
    else this.page.announce(next.matches("ins") ? gettext("added: %(text)s", { text }) : text);
  }
}
