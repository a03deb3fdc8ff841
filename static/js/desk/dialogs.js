// Dialogs with the guidelines and the list of keys; Escape closes them and focus returns.

import { gettext } from "../gettext.js";
import { parse, request } from "./network.js";

export class Dialogs {
  constructor(page) {
    this.page = page;
    this.link = page.root.querySelector("#guidelines-link");
    this.loaded = page.isPreview; // a preview brings its own, which may not be saved yet
    page.on(page.root.querySelector("#help-button"), "click", () => this.help());
    page.on(this.link, "click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      this.guidelines();
    });
  }

  help() {
    this.page.root.querySelector("#help").showModal();
  }

  async guidelines() {
    this.page.root.querySelector("#guidelines").showModal();
    if (this.loaded) return;
    const body = this.page.root.querySelector("#guidelines-body");
    const url = new URL(this.link.href);
    if (this.link.dataset.version) url.searchParams.set("version", this.link.dataset.version);
    const answer = await request(url, { headers: { "HX-Request": "true" } }).catch(() => null);
    if (answer?.ok) {
      body.replaceChildren(...parse(answer.text).body.childNodes);
      this.loaded = true;
    } else {
      body.textContent = answer?.status === 401 ? gettext("You are signed out. Sign in again to read the guidelines.") : gettext("You're offline. Try again.");
    }
  }

  // A drawer that asks for a reason; its text area gets the focus.
  drawer(name) {
    this.page.root.querySelector(`#${name}`)?.showPopover();
  }
}
