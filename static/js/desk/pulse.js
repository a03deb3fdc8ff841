// A heartbeat every minute while the page is visible: it renews the lease and learns what changed.

import { gettext } from "../gettext.js";
import { write } from "./effort.js";
import { post, untilBack } from "./network.js";

const EVERY = 60_000;

export class Pulse {
  constructor(page, state, effort) {
    Object.assign(this, { page, state, effort, lost: page.root.dataset.holdsSlot !== "yes" });
    this.study = page.root.dataset.studyStatus;
    const timer = setInterval(() => this.beat(), EVERY);
    page.signal.addEventListener("abort", () => clearInterval(timer));
    page.on(document, "visibilitychange", () => this.beat());
    page.on(window, "pagehide", () => this.#tell({ keepalive: true }).catch(() => {}));
    setTimeout(() => this.beat()); // after the first keys
  }

  async beat() {
    if (document.visibilityState !== "visible" || this.page.signal.aborted) return;
    const answer = await this.#tell().catch(() => null); // retried in a minute
    if (answer?.status === 401 && this.state.kind !== "signed-out") {
      const before = this.state.kind;
      await untilBack(this.page, this.state);
      if (this.state.kind === "signed-out") this.state.say(before);
    }
    if (answer?.ok) this.#hear(answer.json());
  }

  async #tell(options) {
    const taken = this.effort.take();
    try {
      const answer = await post(this.page, this.page.pulse, write(taken, new URLSearchParams()), options);
      if (!answer.ok) this.effort.putBack(taken);
      return answer;
    } catch (problem) {
      this.effort.putBack(taken);
      throw problem;
    }
  }

  #hear({ status, study }) {
    if (status === "surplus" && !this.lost) {
      this.lost = true;
      this.page.message(gettext("Your time for this task ran out and others may take it. You can still submit: your answer will be saved."));
    }
    if (study !== this.study) {
      this.study = study;
      if (study === "paused") this.page.message(gettext("The study has been paused. Your answers are saved."));
      if (study === "closed") this.page.message(gettext("The study has been closed. Your answers are saved."));
      if (study === "live") this.page.message(gettext("The study continues."), "good");
    }
  }
}
