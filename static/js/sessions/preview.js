// An edited answer as it will look, if the study's answers are Markdown: the field and its preview take turns.

import { gettext } from "../gettext.js";
import { post } from "../desk/network.js";

export class Preview {
  constructor(page) {
    this.page = page;
    this.button = page.root.querySelector("#preview");
    if (!this.button) return;
    this.field = page.root.querySelector("#edit");
    this.view = page.root.querySelector("#edit-preview");
    page.on(this.button, "click", () => (this.view.hidden ? this.#show() : this.#hide()));
  }

  async #show() {
    const body = new URLSearchParams({ [this.field.name]: this.field.value });
    const answer = await post(this.page, this.button.dataset.address, body).catch(() => null);
    if (!answer?.ok) return this.page.message(answer?.status === 400 ? answer.text : gettext("The preview could not be loaded. Try again."));
    const shown = new DOMParser().parseFromString(answer.text, "text/html");
    this.view.replaceChildren(...shown.body.childNodes);
    this.page.message("");
    return this.#swap(true, this.view);
  }

  #hide() {
    this.#swap(false, this.field);
  }

  #swap(previewed, focused) {
    this.field.hidden = previewed;
    this.view.hidden = !previewed;
    this.button.setAttribute("aria-pressed", String(previewed));
    focused.focus();
  }
}
