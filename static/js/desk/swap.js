// Showing the server's answer in place: the whole desk for another task, its changed parts for the same one.

import { parse, request } from "./network.js";
import { localTimes } from "./times.js";

export function showing(open) {
  let page = null;

  async function show(answer, document_, kind) {
    const root = document_.querySelector("#desk");
    if (!root) {
      window.location.assign(answer.url);
      return;
    }
    if (root.dataset.assignment === page.assignment && kind) parts(page, root, kind);
    else whole(root, kind);
  }

  function whole(root, kind, push = true) {
    const old = page.root;
    const place = old.querySelector('[data-scroll="document"]')?.scrollTop ?? 0;
    const same = text(old) !== null && text(old) === text(root);
    page.close();
    old.replaceWith(document.adoptNode(root));
    if (push) history.pushState({}, "", root.dataset.page);
    if (same) root.querySelector('[data-scroll="document"]').scrollTop = place; // the same document: read on there
    page = open(root, show);
    root.querySelector("#task").focus({ preventScroll: true });
    page.announce(`${kind ? "Done. " : ""}${root.querySelector('[data-part="progress"]').textContent.trim()}`);
  }

  window.addEventListener("popstate", async () => {
    const answer = await request(window.location.href).catch(() => null);
    const root = answer?.ok ? parse(answer.text).querySelector("#desk") : null;
    if (root) whole(root, "", false);
    else window.location.reload();
  });

  return (root) => (page = open(root, show));
}

function text(root) {
  return root.querySelector('[data-text="document"]')?.textContent ?? null;
}

function parts(page, root, kind) {
  for (const part of root.querySelectorAll("[data-part]")) {
    if (kind === "flag" && part.dataset.part === "questions") continue; // what is typed stays as it is
    page.root.querySelector(`[data-part="${part.dataset.part}"]`)?.replaceWith(document.adoptNode(part));
  }
  page.token = page.hidden("csrfmiddlewaretoken").value;
  if (kind !== "flag") page.version = Number(root.dataset.draftVersion);
  page.form.dispatchEvent(new CustomEvent("desk:filled"));
  localTimes(page.root);
  focusOnProblem(page);
}

// The first thing that the server found wrong, or the notice that says what happened.
export function focusOnProblem(page) {
  page.message(page.root.querySelector("[data-message]")?.textContent.trim() ?? "");
  const drawer = page.root.querySelector("[popover]:has(.field-error)");
  if (drawer) {
    drawer.showPopover();
    drawer.querySelector("textarea").focus();
    return;
  }
  const wrong = page.root.querySelector(".question.has-error :is(input, textarea)");
  const notice = page.root.querySelector("[data-focus-first]");
  (notice ?? wrong)?.focus();
}
