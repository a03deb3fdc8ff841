// Answers, skips, flags and undos are sent without leaving the page. While offline or signed out they wait here, and
// are sent once, under the same client key, when that is possible again. What the server refuses for good is kept by
// `unsent.js` until it is saved or discarded.

import { gettext } from "../gettext.js";
import { deliver } from "./delivery.js";
import { deviceOf } from "./device.js";
import { write } from "./effort.js";
import { leave, parse, post, request, worthTrying } from "./network.js";
import { sameAnswers } from "./page.js";
import { Refused } from "./refused.js";
import { kept, keepAndLeave, reasonOf } from "./unsent.js";

// Answers after which the same request can never be accepted, and those that come with the page as it is now.
const REFUSED = new Set([400, 404, 409, 413, 422]);
const SHOWN = new Set([409, 413, 422]);
const UNKEPT = gettext("This browser could not keep your answer: copy it before you leave this page.");

export class Sending {
  constructor(page, parts, show) {
    Object.assign(this, { page, show, busy: false }, parts);
    this.refused = new Refused(page, this.unsent, (answer) => this.busy || this.#resume(answer));
    page.on(page.root, "submit", (event) => {
      const form = event.target.closest("[data-send]");
      if (!form) return;
      event.preventDefault();
      this.send(form);
    });
    page.on(window, "pageshow", (event) => event.persisted && this.#hold(false)); // the browser went back to a held page
    page.on(page.root, "click", (event) => {
      const link = event.target.closest("a[data-visit]");
      if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
      event.preventDefault();
      if ("discard" in link.dataset) this.#discard();
      this.visit(link.href);
    });
  }

  async send(form) {
    if (this.busy) return;
    this.#hold(true);
    const kind = form.dataset.send;
    if (kind === "answer" || kind === "flag") await this.autosave.stop(); // a draft in between would have the old revision
    else await Promise.race([this.autosave.flush(), worthTrying(this.page, 1000)]);
    const body = new URLSearchParams(new FormData(form));
    if (body.has("visible_seconds")) write(this.effort.take(), body).set("device", deviceOf(this.page));
    const sent = kind === "answer" ? kept(this.page, body) : null;
    if (sent) this.keep.write("pending", sent);
    await this.#finish(await deliver(this, form.action, body), kind, sent);
  }

  // Begin with what an earlier visit left in this browser. Early events count at once, or not at all if this task's
  // answer is already on its way or a person has to choose a draft first: they were meant for what was shown before.
  async begin(keys) {
    const pending = this.keep.read("pending");
    if (pending) return this.#resume(pending);
    if (this.autosave.restore()) keys.replay();
    for (const assignment of this.keep.waiting()) await this.#resumeOther(assignment).catch(() => {});
    this.refused.tell();
    return undefined;
  }

  // An answer that was never confirmed, for example after a closed tab: repeat the same request.
  async #resume(pending) {
    this.#hold(true);
    await this.autosave.stop();
    if (!sameAnswers(pending.answers, this.page.answers())) this.autosave.dirty = true;
    this.page.fill(pending.answers);
    const sent = { ...kept(this.page, pending.body), ...pending };
    await this.#finish(await deliver(this, this.page.form.action, new URLSearchParams(pending.body)), "answer", sent);
  }

  async #resumeOther(assignment) {
    const pending = this.keep.read("pending", assignment);
    const [url, address] = [this.page.form.action, this.page.address].map((one) => one.replace(this.page.assignment, assignment));
    const answer = await post(this.page, url, new URLSearchParams(pending.body));
    const sent = { assignment, url, address, words: Object.values(pending.answers).map((values) => ["", values.join(", ")]), ...pending };
    const isOver = answer.ok || answer.saved || (REFUSED.has(answer.status) && this.unsent.add({ ...sent, why: reasonOf(answer, parse(answer.text)) }));
    if (isOver) this.keep.drop("pending", assignment);
  }

  // The form is held while the next page is loaded: what would be typed meanwhile would go with the page.
  async visit(url) {
    if (this.busy) return undefined;
    const focused = document.activeElement;
    this.#hold(true);
    await Promise.race([this.autosave.flush(), worthTrying(this.page, 1000)]);
    const answer = await request(url).catch(() => null);
    if (answer && answer.status !== 401 && answer.status < 500) return this.show(answer, parse(answer.text));
    this.#hold(false);
    focused.focus({ preventScroll: true });
    const why = answer ? gettext("The server is not responding.") : gettext("You're offline.");
    return this.page.message(answer?.status === 401 ? gettext("Sign in again first.") : `${why} ${gettext("Your draft is saved in this browser.")}`);
  }

  async #finish(answer, kind, sent) {
    const document = parse(answer.text);
    const isKept = !sent || this.#settle(answer, document, sent);
    this.page.message("");
    if ((answer.status === 404 || answer.status === 403) && isKept) return this.#leave(sent, answer.status);
    this.#hold(false);
    const isShown = answer.ok || (SHOWN.has(answer.status) && document.querySelector("#desk"));
    if (isShown) await this.show(answer, document, kind);
    else this.page.message(`${gettext("Not accepted:")} ${reasonOf(answer, document)} ${isKept ? gettext("Your answer is still here.") : UNKEPT}`);
    if (this.page.signal.aborted) return undefined; // another page is shown, which tells the rest
    this.refused.tell();
    if (answer.ok && kind === "flag") this.page.message(gettext("Flagged for the researchers. You can continue."), "good");
    return answer.status === 409 && sent && isKept ? this.autosave.waitForChoice() : this.autosave.resume();
  }

  // The server's last word about an answer: it is saved, or goes on as a draft, or is kept as refused. False if this
  // browser could not keep it.
  #settle(answer, document, sent) {
    if (answer.ok) this.#discard();
    const isKept = answer.ok || answer.status === 422 || this.refused.add(sent, reasonOf(answer, document));
    if (isKept) this.keep.drop("pending");
    return isKept;
  }

  #discard() {
    this.autosave.discard();
    this.refused.discard();
  }

  #leave(sent, status) {
    if (sent) leave(this.page);
    else keepAndLeave(this.page, this.unsent, status);
  }

  #hold(busy) {
    this.busy = busy;
    for (const part of [this.page.form, ...this.page.root.querySelectorAll("textarea[form=answer]")]) part.inert = busy;
    this.page.root.querySelector("#submit").setAttribute("aria-busy", String(busy));
    if (!busy) this.state.say(this.autosave.isSaved ? "saved" : "saving");
  }
}
