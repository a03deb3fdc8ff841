// The word, always in the same place, that says whether the work is saved.

const WORDS = {
  saved: "saved",
  saving: "saving…",
  sending: "sending…",
  submitted: "submitted",
  offline: "offline, saved in this browser",
  broken: "server not responding, saved in this browser",
  conflict: "changed in another tab",
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
    else if (SPOKEN.has(this.kind)) this.page.announce("Connected again.");
    this.kind = kind;
  }

  #signedOut() {
    const link = document.createElement("a");
    link.href = this.page.signIn;
    link.target = "_blank";
    link.textContent = "sign in again";
    this.node.replaceChildren("signed out: ", link, ", your answer is saved");
  }
}

function word(text) {
  const node = document.createElement("span");
  node.textContent = text;
  return node;
}
