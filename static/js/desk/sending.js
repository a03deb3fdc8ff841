// Answers, skips, flags and undos are sent without leaving the page. While offline or signed out they wait here, and
// are sent once, under the same client key, when that is possible again.

import { write } from "./effort.js";
import { isBack, leave, OfflineError, parse, post, request, untilBack, worthTrying } from "./network.js";

export class Sending {
  constructor(page, parts, show) {
    Object.assign(this, { page, show, busy: false }, parts);
    page.on(page.root, "submit", (event) => {
      const form = event.target.closest("[data-send]");
      if (!form) return;
      event.preventDefault();
      this.send(form);
    });
    page.on(page.root, "click", (event) => {
      const link = event.target.closest("a[data-visit]");
      if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
      event.preventDefault();
      if ("discard" in link.dataset) this.autosave.discard();
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
    if (body.has("visible_seconds")) write(this.effort.take(), body);
    if (kind === "answer") this.keep.write("pending", { body: body.toString(), answers: this.page.answers() });
    await this.#finish(await this.#deliver(form.action, body), kind);
  }

  // Begin with what an earlier visit left in this browser. Early events count at once, or not at all if this task's
  // answer is already on its way or a person has to choose a draft first: they were meant for what was shown before.
  async begin(keys) {
    const pending = this.keep.read("pending");
    if (pending) return this.#resume(pending);
    if (this.autosave.restore()) keys.replay();
    for (const assignment of this.keep.waiting()) await this.#resumeOther(assignment).catch(() => {});
    return undefined;
  }

  // An answer that was never confirmed, for example after a closed tab: repeat the same request.
  async #resume(pending) {
    this.#hold(true);
    await this.autosave.stop();
    this.page.fill(pending.answers);
    await this.#finish(await this.#deliver(this.page.form.action, new URLSearchParams(pending.body)), "answer");
  }

  async #resumeOther(assignment) {
    const { body } = this.keep.read("pending", assignment);
    const url = this.page.form.action.replace(this.page.assignment, assignment);
    const answer = await post(this.page, url, new URLSearchParams(body));
    if (answer.ok || answer.saved || [400, 404, 409].includes(answer.status)) this.keep.drop("pending", assignment);
  }

  async visit(url) {
    if (this.busy) return;
    this.busy = true;
    await Promise.race([this.autosave.flush(), worthTrying(this.page, 1000)]);
    const answer = await request(url).catch(() => null);
    this.busy = false;
    if (!answer || answer.status === 401) {
      this.page.message(answer ? "Sign in again first." : "You're offline. Your draft is saved in this browser.");
      return;
    }
    await this.show(answer, parse(answer.text));
  }

  async #deliver(url, body) {
    let refreshed = false;
    let saved = false;
    while (!this.page.signal.aborted) {
      let answer;
      try {
        if (!saved) this.state.say("sending");
        answer = await post(this.page, url, body);
      } catch (problem) {
        if (!(problem instanceof OfflineError)) throw problem;
      }
      if (answer?.status === 401) {
        await untilBack(this.page, this.state);
      } else if (answer?.status === 403 && !refreshed) {
        refreshed = true; // the token changed with a new sign-in elsewhere
        if (!(await isBack(this.page))) await untilBack(this.page, this.state);
      } else if (!answer || answer.status >= 500) {
        saved ||= Boolean(answer?.saved);
        if (saved) this.#confirm();
        else this.#explain(answer);
        await worthTrying(this.page);
      } else {
        return answer;
      }
    }
    return new Promise(() => {}); // this page was replaced: the new one continues
  }

  // The answer is saved, but the next task could not be opened: the same request asks for it again.
  #confirm() {
    this.keep.drop("pending");
    this.autosave.discard();
    this.state.say("submitted");
    this.page.message("Your answer is saved. Opening the next task…", "good");
  }

  #explain(answer) {
    this.state.say(answer ? "broken" : "offline");
    this.page.message(answer ? "The server is not responding. We'll send it when it does." : "You're offline. We'll send it when you reconnect.");
  }

  async #finish(answer, kind) {
    const document = parse(answer.text);
    if (kind === "answer") {
      this.keep.drop("pending");
      if (answer.ok) this.autosave.discard();
    }
    this.page.message("");
    this.#hold(false);
    if (answer.status === 404 || answer.status === 403) return leave(this.page);
    if (answer.ok || answer.status === 422 || answer.status === 409) await this.show(answer, document, kind);
    else this.page.message(`Not accepted: ${document.body.textContent.trim().slice(0, 200)}`);
    if (answer.ok && kind === "flag") this.page.message("Flagged for the researchers. You can continue.", "good");
    return this.autosave.resume();
  }

  #hold(busy) {
    this.busy = busy;
    for (const part of [this.page.form, ...this.page.root.querySelectorAll("textarea[form=answer]")]) part.inert = busy;
    this.page.root.querySelector("#submit").setAttribute("aria-busy", String(busy));
    if (!busy) this.state.say(this.autosave.isSaved ? "saved" : "saving");
  }
}
