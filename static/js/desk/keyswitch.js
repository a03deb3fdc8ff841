// The switch of single keys. The server keeps it for the person, so that it is the same on every computer.

import { request } from "./network.js";

let chosen = null; // since this document was loaded: newer than what a page that was fetched before says

export function keysAreOn(box) {
  return chosen ?? box.checked;
}

export async function keepKeys(box, token) {
  chosen = box.checked;
  const body = new URLSearchParams({ on: chosen ? "yes" : "no", csrfmiddlewaretoken: token });
  const answer = await request(box.dataset.keep, { method: "POST", body, keepalive: true }).catch(() => null);
  return Boolean(answer?.ok);
}
