// The home page shows the answers that the server refused and that this browser kept: to copy, send again or discard.

import { gettext } from "./gettext.js";
import { parse, request } from "./desk/network.js";
import { reasonOf, Unsent } from "./desk/unsent.js";

const section = document.querySelector("#unsent");
const unsent = new Unsent(section.dataset.personTag);

function show(kept, place) {
  const node = section.querySelector("template").content.firstElementChild.cloneNode(true);
  const part = (name) => node.querySelector(`[data-${name}]`);
  const text = part("text");
  text.id = `unsent-${place}`;
  part("label").htmlFor = text.id;
  part("copy").dataset.copy = text.id;
  text.value = (kept.words ?? []).map(([question, answer]) => (question ? `${question}\n${answer}` : answer)).join("\n\n");
  part("at").textContent = new Date(kept.at).toLocaleString(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
  part("why").textContent = kept.why;
  part("open").href = kept.address;
  part("resend").addEventListener("click", () => resend(kept, node));
  part("discard").addEventListener("click", ({ target }) => {
    if (target.dataset.discard) return close(kept, node);
    target.dataset.discard = "sure";
    target.textContent = gettext("Discard for good");
    return undefined;
  });
  section.append(node);
}

async function resend(kept, node) {
  const why = node.querySelector("[data-why]");
  const button = node.querySelector("[data-resend]");
  const body = new URLSearchParams(kept.body);
  body.set("csrfmiddlewaretoken", section.dataset.token);
  button.disabled = true;
  why.textContent = gettext("Sending…");
  const answer = await request(kept.url, { method: "POST", body }).catch(() => null);
  button.disabled = false;
  if (answer?.ok || answer?.saved) {
    close(kept, node);
    section.querySelector("[data-said]").textContent = gettext("Your answer is saved.");
  } else if (!answer || answer.status === 401 || answer.status >= 500) {
    why.textContent = gettext("The server could not be reached. Try again later; your answer stays here.");
  } else {
    why.textContent = reasonOf(answer, parse(answer.text));
    unsent.add({ ...kept, why: why.textContent });
  }
}

function close(kept, node) {
  unsent.drop(kept.name);
  node.remove();
  section.querySelector("[data-intro]").hidden = !section.querySelector(".card");
}

// The first browser of a person who has not chosen a time zone says its own.
function tellTimeZone() {
  const { zoneAddress, token } = section.dataset;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (!zoneAddress || !zone) return;
  const body = new URLSearchParams({ zone, csrfmiddlewaretoken: token });
  request(zoneAddress, { method: "POST", body }).catch(() => null);
}

tellTimeZone();
const all = unsent.all();
section.hidden = !all.length;
all.forEach(show);
