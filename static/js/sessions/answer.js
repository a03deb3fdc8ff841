// The answer: its text, what changed and its sources; an earlier answer; any two compared.

import { parse, request } from "../desk/network.js";

export class AnswerViews {
  constructor(page, panes, effort) {
    Object.assign(this, { page, panes, effort });
    page.on(page.root, "click", (event) => this.#click(event));
    page.on(page.root, "keydown", (event) => this.#arrows(event));
    page.on(page.root, "change", (event) => {
      const form = event.target.closest('[data-look="changes"]');
      if (form) this.look(`?${new URLSearchParams(new FormData(form))}`, ["changes"], event.target.id);
    });
  }

  acts() {
    return {
      t: () => this.view("text"),
      d: () => this.view("changes"),
      o: () => this.view("sources"),
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

  view(name) {
    this.panes.show("answer");
    if (this.page.root.querySelector("#edit") && name !== "text") return this.page.message("Keep the edited answer first, or leave it.");
    for (const tab of this.tabs) {
      const chosen = tab.dataset.view === name;
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
      this.page.root.querySelector(`#answer-${tab.dataset.view}`).hidden = !chosen;
    }
    if (name !== "text") this.effort.used(name);
    return this.page.announce(this.tabs.find((tab) => tab.dataset.view === name).textContent.replace(/\s+/g, " ").trim());
  }

  #click(event) {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return undefined;
    const tab = event.target.closest("[data-view]");
    const link = event.target.closest("[data-look-at]");
    if (!tab && !link) return undefined;
    event.preventDefault();
    if (tab) return this.view(tab.dataset.view);
    const what = link.dataset.lookAt;
    if (what === "passages") return undefined; // the papers' own
    return this.look(link.getAttribute("href"), what === "answer" ? ["answer-head", "answer"] : ["changes"], "", what);
  }

  // Parts of the same page as another address shows it; the step that is due and what is typed stay untouched.
  async look(query, parts, focus = "", what = "changes") {
    if (this.page.root.querySelector("#edit")) return this.page.message("Keep the edited answer first, or leave it.");
    this.effort.used("history");
    const answer = await request(this.page.address + query).catch(() => null);
    const document_ = answer?.ok ? parse(answer.text) : null;
    if (!document_?.querySelector("#desk")) return this.page.message("No network: this could not be fetched.");
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
    const next = this.tabs.at((place + (event.key === "ArrowRight" ? 1 : -1)) % this.tabs.length);
    this.view(next.dataset.view);
    next.focus();
  }
}
