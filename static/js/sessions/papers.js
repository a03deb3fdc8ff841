// The papers pane: hiding and showing it, the passages of a turn, and the paper that a citation names.

import { gettext } from "../gettext.js";
import { parse, request } from "../desk/network.js";

const FOLDED = "session-papers";

export class Papers {
  constructor(page, panes, effort) {
    Object.assign(this, { page, panes, effort });
    this.button = page.root.querySelector("#fold-papers");
    page.on(this.button, "click", () => this.fold(this.button.getAttribute("aria-expanded") === "true", true));
    page.on(page.root, "click", (event) => {
      const link = event.target.closest('a.citation, [data-look-at="passages"]');
      if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      if (link.matches(".citation")) this.open(link);
      else this.look(new URL(link.href).search);
    });
    page.on(page.root, "change", (event) => {
      const form = event.target.closest('[data-look="passages"]');
      if (form) this.look(`?${new URLSearchParams(new FormData(form))}`);
    });
    this.fold(stored() === "yes");
  }

  acts() {
    return { p: () => this.button.click(), escape: () => this.#back() };
  }

  fold(folded, keep = false) {
    this.page.root.classList.toggle("papers-folded", folded);
    this.button.setAttribute("aria-expanded", String(!folded));
    this.button.querySelector("[data-fold-word]").textContent = folded ? gettext("Papers and passages") : gettext("Hide");
    if (!keep) return;
    try {
      window.localStorage.setItem(FOLDED, folded ? "yes" : "no");
    } catch {
      this.page.message(gettext("This browser does not save settings. The papers will be shown again next time."));
    }
  }

  // Escape returns from the paper to the citation.
  open(citation) {
    this.effort.used("sources");
    this.from = citation;
    this.fold(false);
    this.panes.show("papers");
    const paper = this.page.root.querySelector(`#details-paper-${citation.dataset.paper}`);
    this.page.root.querySelectorAll(".is-cited, .is-followed").forEach((node) => node.classList.remove("is-cited", "is-followed"));
    paper.open = true;
    paper.classList.add("is-cited");
    citation.classList.add("is-followed");
    paper.scrollIntoView({ block: "start" });
    const body = paper.querySelector(".paper-body");
    body.focus({ preventScroll: true });
    this.page.announce(paper.querySelector("summary").textContent.replace(/\s+/g, " ").trim());
  }

  // Shows the passages of another turn; the rest of the page is not changed.
  async look(query) {
    this.effort.used("history");
    const answer = await request(this.page.address + query).catch(() => null);
    const part = answer?.ok ? parse(answer.text).querySelector('[data-part="passages"]') : null;
    if (!part) return this.page.message(gettext("You're offline. The passages could not be loaded."));
    this.page.root.querySelector('[data-part="passages"]').replaceWith(document.adoptNode(part));
    this.fold(false);
    this.panes.show("papers");
    part.scrollIntoView({ block: "nearest" });
    part.querySelector("select")?.focus({ preventScroll: true });
    return this.page.announce(part.querySelector("h3").textContent);
  }

  #back() {
    if (!this.from?.isConnected) return;
    this.panes.show("answer");
    this.from.focus();
  }
}

function stored() {
  try {
    return window.localStorage.getItem(FOLDED);
  } catch {
    return null;
  }
}
