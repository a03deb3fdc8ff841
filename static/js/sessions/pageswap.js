// Replaces the page with the one from the server, and keeps what was scrolled, opened and hidden.

import { parse, request } from "../desk/network.js";
import { focusOnProblem } from "../desk/swap.js";
import { localTimes } from "../desk/times.js";

export function pageSwap(open) {
  let page = null;

  async function show(answer, document_) {
    const root = document_.querySelector("#desk");
    if (root) whole(root, answer.ok ? answer.url : ""); // a refused step has no page of its own to reload or go back to
    else window.location.assign(answer.url);
  }

  function whole(root, url, push = true) {
    const old = page.root;
    const moved = old.dataset.turn !== root.dataset.turn;
    page.close();
    keepOpened(old, root, moved);
    const isNewStep = moved || old.dataset.due !== root.dataset.due;
    if (!isNewStep) root.dataset.keptView = chosenView(old);
    const places = [...old.querySelectorAll("[data-scroll]")].map((pane) => [pane.dataset.scroll, pane.scrollTop]);
    old.replaceWith(document.adoptNode(root));
    document.title = `${heading(root)} · Interrater`;
    if (push && url && new URL(url).href !== window.location.href) history.pushState({}, "", url);
    keepPlaces(places, old, root);
    begin(root);
    const focus = page.root.querySelector("#edit") ?? page.root.querySelector("#step");
    if (root.dataset.hasErrors === "no" && !root.querySelector("[data-focus-first]")) {
      focus.focus({ preventScroll: true });
      if (isNewStep) window.scrollTo(0, 0); // in low windows the page scrolls
    }
    page.announce(heading(root));
  }

  function begin(root) {
    page = open(root, show);
    localTimes(root);
    const turns = root.querySelector('[data-scroll="turns"]');
    page.beforePaint(() => (turns.scrollTop = turns.scrollHeight));
    if (root.dataset.hasErrors === "yes" || root.querySelector("[data-focus-first]")) page.beforePaint(() => problem(page));
    return page;
  }

  window.addEventListener("popstate", async () => {
    page.form.inert = true; // what would be typed meanwhile would go with the page
    const answer = await request(window.location.href).catch(() => null);
    const root = answer?.ok ? parse(answer.text).querySelector("#desk") : null;
    if (root) whole(root, "", false);
    else window.location.reload();
  });

  return begin;
}

function chosenView(root) {
  return root.querySelector('[data-view][aria-selected="true"]').dataset.view;
}

function heading(root) {
  return root.querySelector("#task").textContent.replace(/\s+/g, " ").trim();
}

function problem(page) {
  const edit = page.root.querySelector("#edit.has-error");
  if (edit) edit.focus();
  else focusOnProblem(page);
}

function shownText(root) {
  return root.querySelector(".answer-body")?.textContent ?? "";
}

// Panes stay where they were. An answer does if its text is the same, or if somebody scrolled while it was written.
function keepPlaces(places, old, root) {
  for (const [name, top] of places) {
    const pane = root.querySelector(`[data-scroll="${name}"]`);
    const isSame = root.dataset.due !== "writing" && shownText(old) === shownText(root);
    const stays = old.dataset.due === "writing" ? top > 0 : isSame;
    if (!pane || (name === "answer" && !stays)) continue;
    pane.scrollTop = top;
    if (name === "answer") root.dataset.kept = top; // for answerviews.js: the view that is opened may be longer
  }
}

// What was open stays open; the entry of a new turn opens by itself.
function keepOpened(old, root, moved) {
  for (const details of old.querySelectorAll("details[id]")) {
    const there = root.querySelector(`#${CSS.escape(details.id)}`);
    if (there && !(moved && there.matches(".turn"))) there.open = details.open;
  }
}
