// The desk of a second rater: the new answer, its changes, the previous answer, and the papers.

import { openDesk } from "../desk/opening.js";
import { Panes } from "../desk/panes.js";

function equip(page, effort) {
  const panes = new Panes(page);
  const buttons = [...page.root.querySelectorAll("[data-show]")];

  function open(name) {
    for (const button of buttons) {
      const chosen = button.dataset.show === name;
      button.setAttribute("aria-pressed", String(chosen));
      page.root.querySelector(`[data-shown="${button.dataset.show}"]`).hidden = !chosen;
    }
  }

  function show(name) {
    open(name);
    if (name === "changes") effort.used("changes");
    panes.show("output");
  }

  function source(event) {
    const citation = event.target.closest("a.citation");
    if (!citation) return;
    event.preventDefault();
    effort.used("sources");
    const paper = page.root.querySelector(`#details-paper-${citation.dataset.paper}`);
    page.root.querySelectorAll(".is-cited").forEach((node) => node.classList.remove("is-cited"));
    paper.open = true;
    paper.classList.add("is-cited");
    panes.show("document");
    paper.scrollIntoView({ block: "start" });
    paper.querySelector(".paper-body").focus({ preventScroll: true });
  }

  for (const button of buttons) page.on(button, "click", () => show(button.dataset.show));
  page.on(page.root, "click", source);
  open("answer");
  return { acts: { t: () => show("answer"), d: () => show("changes"), b: () => show("previous") } };
}

openDesk(equip);
