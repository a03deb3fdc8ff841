// The page that builds a study: the preview follows what is typed, and folded parts stay folded.

const QUIET = 400;
const building = document.querySelector(".building");
const frame = building.querySelector("[data-preview-frame]");
const box = frame.parentElement;
const note = building.querySelector("#preview-note");
const folds = new Map();
let width = 1280;
let timer = 0;
let asking = new AbortController();

// What is typed and not saved is said beside the button, and the browser asks before it is lost.
function unsaved() {
  const form = building.querySelector("#build");
  const said = "unsaved" in form.dataset ? "Not saved yet." : "";
  const node = building.querySelector("#unsaved");
  if (node.textContent !== said) node.textContent = said;
}

function typed() {
  building.querySelector("#build").dataset.unsaved = "";
  unsaved();
  later();
}

function leaving(event) {
  const form = building.querySelector("#build");
  if ("unsaved" in form.dataset && !form.dataset.sent) event.preventDefault();
}

function later() {
  clearTimeout(timer);
  timer = setTimeout(refresh, QUIET);
}

async function refresh() {
  const form = building.querySelector("#build");
  asking.abort();
  asking = new AbortController();
  try {
    const options = { method: "POST", body: new FormData(form), credentials: "same-origin", signal: asking.signal };
    const answer = await fetch(form.dataset.preview, { ...options, headers: { "X-Requested-With": "fetch" } });
    const text = await answer.text();
    if (!answer.ok) throw new Error(String(answer.status));
    show(text, answer.headers);
  } catch (problem) {
    if (problem.name !== "AbortError") note.textContent = "The preview could not be updated. What you typed is still here.";
  }
}

function show(text, headers) {
  frame.srcdoc = text;
  const count = Number(headers.get("X-Left-Out"));
  const item = headers.get("X-Sample") === "yes" ? "A sample item, because the study has no items yet." : "The study’s first item.";
  const left = count ? ` ${count} question${count === 1 ? "" : "s"} with problems ${count === 1 ? "is" : "are"} not shown.` : "";
  const said = `${item} Nothing you do here is saved.${left}`;
  if (note.textContent.trim() !== said) note.textContent = said;
}

// The page for raters is as wide as on their screens, and drawn as small as it fits.
function fit() {
  const scale = Math.min(1, box.clientWidth / width);
  frame.style.width = `${width}px`;
  frame.style.height = `${box.clientHeight / scale}px`;
  frame.style.transform = `scale(${scale})`;
  frame.style.marginInline = scale === 1 ? "auto" : "0";
}

function choose(button) {
  width = Number(button.dataset.previewWidth);
  for (const one of building.querySelectorAll("[data-preview-width]")) one.setAttribute("aria-pressed", String(one === button));
  fit();
}

function swapped() {
  for (const part of building.querySelectorAll("[data-fold]")) {
    if (!part.open && folds.get(part.dataset.fold)) part.open = true;
  }
  building.querySelector("#build [autofocus]")?.focus();
  unsaved();
  refresh();
}

building.addEventListener("input", typed);
building.addEventListener("submit", ({ target }) => (target.dataset.sent = "yes"));
window.addEventListener("beforeunload", leaving);
unsaved();
building.addEventListener("toggle", ({ target }) => target.dataset.fold && folds.set(target.dataset.fold, target.open), true);
building.addEventListener("click", ({ target }) => target.closest("[data-preview-width]") && choose(target.closest("[data-preview-width]")));
new MutationObserver(swapped).observe(building, { childList: true });
new ResizeObserver(fit).observe(box);
if (box.clientWidth < 600) choose(building.querySelector('[data-preview-width="390"]'));
