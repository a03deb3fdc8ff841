// Follows an answer while it is written: asks every second, lets the text grow in place, and shows the page that
// comes after. What the network loses is asked again; nothing here can lose anything, for the server does the writing.

import { OfflineError, parse, request, untilBack, worthTrying } from "../desk/network.js";

const EVERY = 1000;

export class Writing {
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
        this.state.say("offline", "offline: the answer goes on");
        await worthTrying(this.page);
      }
    }
  }

  async #ask() {
    const answer = await request(this.page.root.dataset.writing);
    if (answer.status === 401) await untilBack(this.page, this.state);
    else if (answer.status === 404) window.location.reload();
    else if (answer.status >= 500) this.state.say("broken", "the server does not answer");
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

  // Only what is new is added, so that what somebody reads or has selected stays as it is.
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
