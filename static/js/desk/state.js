// The word, always in the same place, that says whether the work is saved.

import { gettext } from "../gettext.js";

const WORDS = {
  saved: gettext("saved"),
  saving: gettext("saving…"),
  sending: gettext("sending…"),
  submitted: gettext("submitted"),
  offline: gettext("offline, saved in this browser"),
  broken: gettext("server not responding, saved in this browser"),
  conflict: gettext("changed in another tab"),
};
const SPOKEN = new Set(["offline", "broken", "conflict", "signed-out"]);

export class State {
  constructor(page) {
    this.page = page;
    this.node = page.root.querySelector("#state");
    this.kind = "saved";
  }

  say(kind, detail = "") {
    if (kind === this.kind && !detail) return;
    if (kind === "signed-out") this.#signedOut();
    else this.node.replaceChildren(word(detail || WORDS[kind]));
    this.node.dataset.kind = kind;
    if (SPOKEN.has(kind)) this.page.announce(this.node.textContent);
    else if (SPOKEN.has(this.kind)) this.page.announce(gettext("Connected again."));
    this.kind = kind;
  }

  #signedOut() {
    const link = document.createElement("a");
    link.href = this.page.signIn;
    link.target = "_blank";
    link.textContent = gettext("sign in again");
    this.node.replaceChildren(`${gettext("signed out:")} `, link, gettext(", your answer is saved"));
  }
}

function word(text) {
  const node = document.createElement("span");
  node.textContent = text;
  return node;
}
