// The views of the answer (text, changes, sources), an earlier answer, and the comparison of any two.

import { readingDirection } from "../direction.js";
import { gettext } from "../gettext.js";
import { parse, request } from "../desk/network.js";
import { showFirstChange } from "./firstchange.js";

const CHOSEN = "session-view";

export class AnswerViews {
  constructor(page, panes, effort) {
    Object.assign(this, { page, panes, effort });
    this.#begin();
    page.on(page.root, "click", (event) => this.#click(event));
    page.on(page.root, "keydown", (event) => this.#arrows(event));
    page.on(page.root, "change", (event) => {
      const form = event.target.closest('[data-look="changes"]');
      if (form) this.look(`?${new URLSearchParams(new FormData(form))}`, ["changes"], event.target.id);
    });
  }

  acts() {
    return {
      t: () => this.choose("text"),
      d: () => this.choose("changes"),
      o: () => this.choose("sources"),
      h: () => {
        this.panes.show("turns");
        [...this.page.root.querySelectorAll(".turn > summary")].at(-1)?.focus();
      },
    };
  }

  get tabs() {
    return [...this.page.root.querySelectorAll("[data-view]")];
  }

  get current() {
    return this.tabs.find((tab) => tab.getAttribute("aria-selected") === "true").dataset.view;
  }

  // A turn to rate opens on its changes, or on the view that was chosen for the last one, with the first change in
  // view; a page that is loaded again for the same step stays on its view, and a scrolled text where it is.
  #begin() {
    const { due, keptView: view, kept } = this.page.root.dataset;
    const asked = new URLSearchParams(window.location.search).has("view");
    const wanted = view ?? (due === "rate" && !asked ? remembered() : null);
    if (this.tabs.some((tab) => tab.dataset.view === wanted) && !this.page.root.querySelector("#edit")) this.#open(wanted);
    const isNew = this.current === "changes" || (this.current === "text" && due === "rate" && kept === undefined);
    this.page.beforePaint(() => {
      if (kept !== undefined) this.page.root.querySelector('[data-scroll="answer"]').scrollTop = Number(kept);
      if (isNew && !view) showFirstChange(this.page.root);
    });
  }

  choose(name) {
    if (this.page.root.dataset.due === "rate" && name !== "sources") remember(name);
    return this.view(name);
  }

  #open(name) {
    for (const tab of this.tabs) {
      const chosen = tab.dataset.view === name;
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
      this.page.root.querySelector(`#answer-${tab.dataset.view}`).hidden = !chosen;
    }
  }

  view(name) {
    this.panes.show("answer");
    if (this.page.root.querySelector("#edit") && name !== "text") return this.page.message(gettext("Save or cancel your edit first."));
    this.#open(name);
    if (name !== "text") this.effort.used(name);
    return this.page.announce(this.tabs.find((tab) => tab.dataset.view === name).textContent.replace(/\s+/g, " ").trim());
  }

  #click(event) {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return undefined;
    const tab = event.target.closest("[data-view]");
    const link = event.target.closest("[data-look-at]");
    if (!tab && !link) return undefined;
    event.preventDefault();
    if (tab) return this.choose(tab.dataset.view);
    const what = link.dataset.lookAt;
    if (what === "passages") return undefined; // papers.js handles it
    return this.look(link.getAttribute("href"), what === "answer" ? ["answer-head", "answer"] : ["changes"], "", what);
  }

  // Replaces parts of the page with those of another address; the form is not changed.
  async look(query, parts, focus = "", what = "changes") {
    if (this.page.root.querySelector("#edit")) return this.page.message(gettext("Save or cancel your edit first."));
    this.effort.used("history");
    const answer = await request(this.page.address + query).catch(() => null);
    const document_ = answer?.ok ? parse(answer.text) : null;
    if (!document_?.querySelector("#desk")) return this.page.message(gettext("You're offline. This could not be loaded."));
    for (const part of parts) {
      const [mine, theirs] = [this.page.root, document_].map((root) => root.querySelector(`[data-part="${part}"]`));
      mine.replaceWith(document.adoptNode(theirs));
    }
    this.view(what === "answer" ? "text" : "changes");
    return focus && this.page.root.querySelector(`#${focus}`)?.focus();
  }

  #arrows(event) {
    const place = this.tabs.indexOf(event.target);
    if (place < 0 || !["ArrowLeft", "ArrowRight"].includes(event.key)) return;
    event.preventDefault();
    const next = this.tabs.at((place + (event.key === "ArrowRight" ? 1 : -1) * readingDirection()) % this.tabs.length);
    this.choose(next.dataset.view);
    next.focus();
  }
}

function remembered() {
  try {
    return window.localStorage.getItem(CHOSEN);
  } catch {
    return null;
  }
}

function remember(name) {
  try {
    window.localStorage.setItem(CHOSEN, name);
  } catch {
    // The next turn opens on its changes again.
  }
}
