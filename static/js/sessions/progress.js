// Follows an answer while it is being written: asks every second, appends new text, and loads the page when the
// answer is complete. Lost requests are repeated. The answer is written on the server, so nothing can be lost here.

import { gettext } from "../gettext.js";
import { OfflineError, parse, request, untilBack, worthTrying } from "../desk/network.js";

const EVERY = 1000;

export class Progress {
  constructor(page, state, show) {
    this.node = page.root.querySelector("#writing");
    if (!this.node) return;
    Object.assign(this, { page, state, show, since: performance.now() - 1000 * Number(this.node.dataset.since) });
    const clock = setInterval(() => this.#tick(), 1000);
    page.signal.addEventListener("abort", () => clearInterval(clock));
    this.#follow();
  }

  async #follow() {
    while (!this.page.signal.aborted) {
      await new Promise((resolve) => setTimeout(resolve, EVERY));
      if (this.page.signal.aborted) return;
      if (document.visibilityState === "hidden") continue;
      try {
        if (await this.#ask()) return;
      } catch (problem) {
        if (!(problem instanceof OfflineError)) throw problem;
        this.state.say("offline", gettext("offline; the answer is still being written"));
        await worthTrying(this.page);
      }
    }
  }

  async #ask() {
    const answer = await request(this.page.root.dataset.writing);
    if (answer.status === 401) await untilBack(this.page, this.state);
    else if (answer.status === 404) window.location.reload();
    else if (answer.status >= 500) this.state.say("broken", gettext("the server is not responding"));
    if (!answer.ok) return false;
    if (this.state.kind !== "saved") this.state.say("saved");
    const news = parse(answer.text).querySelector("#writing");
    if (!news) return false;
    if (news.dataset.over === "yes") return this.#done();
    this.#grow(news);
    return false;
  }

  async #done() {
    const answer = await request(this.page.address);
    if (!answer.ok) return false;
    if (!this.page.signal.aborted) await this.show(answer, parse(answer.text));
    return true;
  }

  // Appends only new text, so that a selection in the text before it stays.
  #grow(news) {
    const [mine, theirs] = [this.node, news].map((node) => node.querySelector("[data-partial]"));
    const [old, text] = [mine.textContent, theirs.textContent];
    if (text.startsWith(old)) mine.append(text.slice(old.length));
    else mine.textContent = text;
    mine.normalize();
    for (const part of ["[data-writing-step]", "[data-workers]"]) {
      const [shown, now] = [this.node, news].map((node) => node.querySelector(part));
      if (shown.innerHTML !== now.innerHTML) shown.replaceWith(document.adoptNode(now));
    }
    this.since = performance.now() - 1000 * Number(news.dataset.since);
    this.#tick();
  }

  #tick() {
    const seconds = Math.max(0, Math.round((performance.now() - this.since) / 1000));
    this.node.querySelector("[data-elapsed]").textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  }
}
