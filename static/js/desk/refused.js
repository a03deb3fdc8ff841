// The refused answers of a person on the desk: which of them the form shows, and a line with the way to the others.

import { gettext } from "../gettext.js";
import { sameAnswers } from "./page.js";
import { kept } from "./unsent.js";

export class Refused {
  // `resend` fills the form with an answer and sends it again.
  constructor(page, unsent, resend) {
    Object.assign(this, { page, unsent, resend, shown: new Set() });
  }

  // Keep the answer in the form; false if this browser cannot.
  add(sent, why) {
    const isKept = this.unsent.add({ ...sent, why });
    if (isKept) this.shown.add(sent.body);
    return isKept;
  }

  // What the form shows is saved, or the person decided against it.
  discard() {
    for (const { name, body } of this.unsent.all()) if (this.shown.has(body)) this.unsent.drop(name);
  }

  tell() {
    this.page.root.querySelector("#unsent-line")?.remove();
    const others = this.unsent.all().filter(({ body }) => !this.shown.has(body));
    if (!others.length) return;
    const line = document.createElement("p");
    const link = document.createElement("a");
    Object.assign(line, { id: "unsent-line", className: "notice warning" });
    Object.assign(link, { href: this.page.home, textContent: gettext("See what is not submitted") });
    const mine = others.findLast(({ assignment }) => assignment === this.page.assignment);
    line.append(`${mine ? gettext("Your answer to this task was not accepted. It is kept in this browser.") : gettext("An answer was not accepted. It is kept in this browser.")} `, link);
    if (mine) line.append(" ", this.#again(mine));
    this.page.root.querySelector('[data-part="notices"]').append(line);
  }

  #again(answer) {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "button", textContent: gettext("Send it again") });
    button.addEventListener("click", () => this.#setAside(answer) && this.resend(answer));
    return button;
  }

  // A draft that another answer replaces in the form is kept, too. False if this browser cannot.
  #setAside(answer) {
    const draft = kept(this.page, new URLSearchParams(new FormData(this.page.form)));
    const isSubmitted = this.page.root.querySelector("#state").textContent.trim() === "submitted";
    const isKept = isSubmitted || !draft.words.length || sameAnswers(draft.answers, answer.answers);
    if (!isKept && !this.unsent.add({ ...draft, why: gettext("You sent an earlier answer instead of this draft.") })) {
      this.page.message(gettext("This browser could not keep your draft: copy it, clear the form, and try again."));
      return false;
    }
    this.shown.add(answer.body);
    return true;
  }
}
