// Drafts are stored in this browser at once and on the server a second later, one request at a time.

import { gettext } from "../gettext.js";
import { sameAnswers } from "./page.js";
import { isBack, OfflineError, post, untilBack, worthTrying } from "./network.js";
import { keepAndLeave } from "./unsent.js";
import { chooseVersion } from "./versions.js";

const QUIET = 800;

export class Autosave {
  constructor(page, state, keep, unsent) {
    Object.assign(this, { page, state, keep, unsent, running: null, timer: 0, stopped: false, dirty: false, isLocal: false });
    this.last = page.answers();
    page.onFields("input", () => this.changed());
    page.onFields("change", () => this.changed());
    page.on(window, "pagehide", () => this.#lastChance());
  }

  // Whether the server has all that was typed.
  get isSaved() {
    return !this.dirty && !this.keep.read("draft");
  }

  changed() {
    if (this.stopped) return;
    const answers = this.page.answers();
    if (sameAnswers(answers, this.last) && this.isSaved) return;
    this.last = answers;
    this.dirty = true;
    this.keep.write("draft", { answers, base: this.page.version });
    if (this.state.kind === "saved" || this.state.kind === "submitted") this.state.say("saving");
    clearTimeout(this.timer);
    if (!this.isLocal) this.timer = setTimeout(() => this.flush(), QUIET);
  }

  // Save unsaved changes; resolves when all are saved, or when saving may take indefinitely.
  flush() {
    clearTimeout(this.timer);
    this.running ??= this.#run().finally(() => (this.running = null));
    return this.running;
  }

  // Stop saving: an answer is being sent.
  async stop() {
    this.stopped = true;
    clearTimeout(this.timer);
    await Promise.race([this.running, new Promise((resolve) => setTimeout(resolve, 1000))]);
  }

  resume() {
    this.stopped = this.isLocal = false;
    if (!this.isSaved) this.changed();
  }

  // The person is to choose between this answer and the server's: until then the server gets no draft of this one.
  waitForChoice() {
    this.discard();
    Object.assign(this, { last: this.page.answers(), isLocal: true, stopped: false });
  }

  discard() {
    this.dirty = false;
    this.keep.drop("draft");
  }

  // A draft in this browser that the server does not have, for example after a closed tab. False while a person has to
  // choose between the two.
  restore() {
    const kept = this.keep.read("draft");
    if (!kept) return true;
    const theirs = this.page.answers();
    const isNewer = kept.base === this.page.version;
    const isRefused = this.page.root.dataset.hasErrors === "yes"; // then the page has what was sent, not what is saved
    const isSame = sameAnswers(kept.answers, theirs) && !(isRefused && isNewer);
    if (isSame) this.keep.drop("draft");
    else if (isNewer) this.#use(kept.answers);
    else this.#choose(kept.answers, theirs);
    return isSame || isNewer;
  }

  async #choose(mine, theirs) {
    if ((await chooseVersion(this.page, mine, theirs)) === "theirs") this.keep.drop("draft");
    else this.#use(mine);
  }

  #use(answers) {
    this.page.fill(answers);
    this.changed();
    this.flush();
  }

  async #run() {
    while (this.dirty && !this.stopped && !this.isLocal && !this.page.signal.aborted) {
      const answers = this.page.answers();
      try {
        await this.#handle(await post(this.page, this.page.draft, this.page.draftBody()), answers);
      } catch (problem) {
        if (!(problem instanceof OfflineError || problem instanceof SyntaxError)) throw problem;
        this.state.say("offline");
        await worthTrying(this.page);
      }
    }
  }

  async #handle(answer, answers) {
    if (answer.ok) {
      this.page.version = answer.json().version;
      this.dirty = !sameAnswers(answers, this.page.answers());
      if (this.dirty) return this.keep.write("draft", { answers: this.page.answers(), base: this.page.version });
      this.keep.drop("draft");
      return this.state.say("saved");
    }
    if (answer.status === 401) return untilBack(this.page, this.state);
    if (answer.status === 403 && (await isBack(this.page))) return undefined;
    if (answer.status === 404) return keepAndLeave(this.page, this.unsent) || (this.stopped = true);
    if (answer.status === 409) return this.#conflict(answer.json());
    if (answer.status === 410) return this.#submitted();
    if (answer.status === 400 || answer.status === 413) {
      this.dirty = false;
      return this.state.say("broken", gettext("not saved: %(why)s", { why: answer.json().error }));
    }
    this.state.say("broken");
    return worthTrying(this.page);
  }

  async #conflict({ version, draft }) {
    this.state.say("conflict");
    const choice = await chooseVersion(this.page, this.page.answers(), draft);
    this.page.version = version;
    if (choice === "theirs") {
      this.page.fill(draft);
      this.dirty = false;
      this.keep.drop("draft");
      this.state.say("saved");
    }
  }

  #submitted() {
    this.dirty = false;
    this.stopped = true;
    this.state.say("submitted");
    this.page.message(gettext("This task was submitted in another tab. Your draft is saved in this browser. Reload to see the submitted answer."));
  }

  #lastChance() {
    if (!this.dirty || this.stopped || this.isLocal) return;
    post(this.page, this.page.draft, this.page.draftBody(), { keepalive: true }).catch(() => {}); // the local copy stays
  }
}
