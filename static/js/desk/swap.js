// Shows the server's response in place: the whole desk for another task, only changed parts for the same one.

import { gettext } from "../gettext.js";
import { firstUnfixed } from "./errors.js";
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
    const same = text(old) !== "" && text(old) === text(root);
    page.close();
    old.replaceWith(document.adoptNode(root));
    if (push) history.pushState({}, "", root.dataset.page);
    if (same) root.querySelector('[data-scroll="document"]').scrollTop = place; // the same document: keep the reading position
    cue(root, same && root.dataset.assignment !== old.dataset.assignment);
    page = open(root, show);
    root.querySelector("#task").focus({ preventScroll: true });
    window.scrollTo(0, 0); // in low windows the page scrolls, and has to show the new task from its beginning
    page.announce(`${kind ? `${gettext("Done.")} ` : ""}${same ? `${gettext("The same document, a new output.")} ` : ""}${root.querySelector('[data-part="progress"]').textContent.trim()}`);
  }

  window.addEventListener("popstate", async () => {
    page.form.inert = true; // what would be typed meanwhile would go with the page
    const answer = await request(window.location.href).catch(() => null);
    const root = answer?.ok ? parse(answer.text).querySelector("#desk") : null;
    if (root) whole(root, "", false);
    else window.location.reload();
  });

  return (root) => (page = open(root, show));
}

// Says that the task changed if the document, which stays where it was, looks the same.
function cue(root, isNew) {
  const node = root.querySelector("[data-cue]");
  if (!isNew || !node) return;
  node.textContent = gettext("New output, same document");
  node.closest(".pane, .pair").classList.add("is-new");
}

// The document, empty if the task has none.
function text(root) {
  return root.querySelector('[data-text="document"]')?.textContent.trim() ?? "";
}

function parts(page, root, kind) {
  for (const part of root.querySelectorAll("[data-part]")) {
    if (kind === "flag" && part.dataset.part === "questions") continue; // keep what was typed
    page.root.querySelector(`[data-part="${part.dataset.part}"]`)?.replaceWith(document.adoptNode(part));
  }
  page.token = page.hidden("csrfmiddlewaretoken").value;
  if (kind !== "flag") page.version = Number(root.dataset.draftVersion);
  page.form.dispatchEvent(new CustomEvent("desk:filled"));
  localTimes(page.root);
  focusOnProblem(page);
}

// The first error that the server found, or its notice.
export function focusOnProblem(page) {
  page.message(page.root.querySelector("[data-message]")?.textContent.trim() ?? "");
  const drawer = page.root.querySelector("[popover]:has(.field-error)");
  if (drawer) {
    drawer.showPopover();
    drawer.querySelector("input[type=radio], textarea").focus();
    return;
  }
  const notice = page.root.querySelector("[data-focus-first]");
  (notice ?? firstUnfixed(page.root))?.focus();
}
