// Sends a file in parts, each an ordinary request, and continues after an interruption where the file ended: in this
// page, or in a later one if the same file is chosen again.

import { bundleOf } from "./uploads/bundle.js";
import { continued, isUnfinished, tellWhether } from "./uploads/unfinished.js";

const form = document.querySelector("#upload-form");
const folder = form?.querySelector("#upload-folder");
const TRIES = 6;
const WAIT = 1000;

function headers() {
  return { "X-CSRFToken": form.elements.csrfmiddlewaretoken.value };
}

function say(problem) {
  const place = document.querySelector("#upload-problem");
  place.textContent = problem;
  place.hidden = !problem;
}

function show(received, size) {
  const place = document.querySelector("#upload-progress");
  const percent = Math.floor((100 * received) / size);
  place.hidden = false;
  place.querySelector("[role=status]").textContent = `${percent} % of ${(size / 2 ** 20).toFixed(1)} MB uploaded`;
  place.querySelector("progress").value = percent;
}

const pause = (time) => new Promise((resolve) => { setTimeout(resolve, time); });

async function begun(file, there) {
  const body = new FormData();
  Object.entries(there).forEach(([name, value]) => body.set(name, value));
  body.set("table", form.elements.table.value);
  body.set("name", file.name);
  body.set("size", file.size);
  if (file.files) body.set("several", JSON.stringify(file.files));
  const response = await fetch(form.dataset.begin, { method: "POST", headers: headers(), body });
  const isJSON = response.headers.get("Content-Type")?.startsWith("application/json");
  if (!isJSON) throw new Error(`The upload could not begin (${response.status}). Reload this page and try again.`);
  const answer = await response.json();
  if (response.status === 409) return begun(file, await continued(file, answer.received));
  if (!response.ok) throw new Error(answer.problem);
  return answer;
}

// Returns how much of the file has arrived, or null if the part should be sent again.
async function sendPart(address, file, offset) {
  const body = file.slice(offset, offset + Number(form.dataset.part));
  let response;
  try {
    response = await fetch(`${address}?offset=${offset}`, {
      method: "POST", headers: { ...headers(), "Content-Type": "application/octet-stream" }, body,
    });
  } catch (problem) { // offline, or the file has changed on the disk
    if (problem.name === "NotReadableError") throw new Error("The file changed during the upload. Choose it again.");
    return null;
  }
  if (response.ok || response.status === 409) return (await response.json()).received;
  if (response.status >= 500 && response.status !== 507) return null;
  const isJSON = response.headers.get("Content-Type")?.startsWith("application/json");
  throw new Error(isJSON ? (await response.json()).problem : `The upload was refused (${response.status}).`);
}

async function send(file) {
  const answer = await begun(file, (await isUnfinished(file)) ? await continued(file) : {});
  const { parts, page } = answer;
  let { received } = answer;
  let failed = 0;
  while (received < file.size) {
    show(received, file.size);
    const now = await sendPart(parts, file, received);
    failed = now === null || now === received ? failed + 1 : 0;
    if (failed > TRIES) throw new Error("The upload was interrupted. Check your connection, reload this page and choose the file again.");
    if (failed) await pause(WAIT * failed);
    received = now ?? received;
  }
  show(file.size, file.size);
  window.location.assign(page);
}

function chosen() {
  const { files, accept } = form.elements.file;
  return bundleOf(files, accept) ?? (folder && bundleOf(folder.files, accept));
}

form?.addEventListener("change", ({ target }) => {
  if (target.type !== "file") return;
  if (target === folder) form.elements.file.value = "";
  else if (folder) folder.value = "";
  tellWhether(chosen(), document.querySelector("#upload-same")).catch(() => say("The file cannot be read."));
});

if (folder) folder.closest("[hidden]").hidden = false;

form?.addEventListener("submit", (event) => {
  const file = chosen();
  if (!file) return; // the server says what is missing
  event.preventDefault();
  const button = form.querySelector("button");
  say("");
  button.disabled = true;
  send(file).catch((problem) => {
    say(problem.message);
    document.querySelector("#upload-progress").hidden = true;
    button.disabled = false;
  });
});
