// Marking spans: whole words that are selected get a small bar with labels. Spans appear in the text and in a list
// under it; the newest takes a note by its key.

import { gettext } from "../gettext.js";
import { selectedIn, selectIn } from "../desk/selection.js";
import { Marks } from "./marks.js";
import { SpanBar } from "./spanbar.js";

export class Marking {
  constructor(page, texts) {
    Object.assign(this, { page, texts, all: [...texts.outputs, texts.article], marks: [], current: null, newest: null });
    this.bar = new SpanBar(page, this);
    page.on(document, "pointerup", (event) => this.#released(event));
    page.on(document, "selectionchange", () => this.#later());
    page.on(page.root, "click", ({ target }) => this.#listed(target.closest(".marked-entry")));
  }

  // At the beginning, and when the questions were replaced.
  rebuild() {
    this.bar.close();
    this.newest = null;
    const fieldsets = [...this.page.form.querySelectorAll(".question:has([data-spans-field])")];
    this.marks = fieldsets.map((fieldset, number) => new Marks(this.page, fieldset, this.texts, number));
    this.draw();
  }

  // The marks of the visible panel, if it has spans.
  show(panel) {
    this.bar.close();
    this.current = this.marks.find((marks) => panel.contains(marks.fieldset)) ?? null;
  }

  draw() {
    for (const text of this.all) {
      const about = this.marks.filter((marks) => marks.texts.includes(text));
      text.ranges.spans = about.flatMap((marks) => marks.ranges(text));
      text.paint();
      const list = this.page.root.querySelector(`[data-marked="${text.letter}"]`);
      list?.replaceChildren(...about.flatMap((marks) => marks.entries(text, this.newest?.marks === marks ? this.newest.span : null)));
      if (list) list.hidden = !list.childElementCount;
    }
    this.marks.forEach((marks) => marks.count());
  }

  // `said` is a span's {label, severity}; a question without severities has none.
  mark(text, start, end, said) {
    const span = this.current.add(text, start, end, said);
    document.getSelection().removeAllRanges();
    if (span) this.#made(this.current, text, span, gettext("Marked in %(text)s", { text: text.name }));
    else this.draw();
  }

  relabel(marks, text, span, said) {
    const isSame = (span.label ?? "") === said.label && span.severity === said.severity;
    if (!isSame) this.#made(marks, text, marks.change(span, said), gettext("Changed in %(text)s", { text: text.name }));
  }

  annotate(marks, span, note) {
    const changed = marks.change(span, { note });
    if (this.newest?.span === span) this.newest.span = changed;
    this.draw();
    return changed;
  }

  remove(marks, span) {
    marks.remove(span);
    this.newest = null;
    this.draw();
    this.page.announce(gettext("Removed: %(text)s.", { text: span.text }));
  }

  // The note of the newest span; false where a question without spans is open, so that the key is free for an answer.
  note() {
    if (!this.current) return false;
    if (this.newest?.marks === this.current) this.bar.open(this.newest, true);
    else this.page.announce(gettext("Mark something first, or choose a marked span."));
    return true;
  }

  #made(marks, text, span, what) {
    this.newest = { marks, text, span };
    this.draw();
    this.page.announce(`${what}: ${[span.text, span.label, span.severity].filter(Boolean).join(", ")}. ${gettext("N adds a note.")}`);
  }

  // A selection is widened to whole words: a letter more or less is no other opinion.
  #selected(visibly) {
    for (const text of this.current?.texts ?? []) {
      const part = selectedIn(text);
      if (!part || !text.text.slice(...part).trim()) continue;
      const [start, end] = text.wholeWords(...part);
      if (visibly) selectIn(text, start, end);
      this.bar.open({ marks: this.current, text, start, end });
      return;
    }
  }

  #released(event) {
    if (event.target.closest?.("[data-span-bar]")) return;
    setTimeout(() => {
      const mark = event.target.closest?.("mark.span");
      if (!document.getSelection().isCollapsed) this.#selected(event.pointerType === "mouse");
      else if (mark) this.#reopen(Number(mark.dataset.marks), mark, Number(mark.dataset.start));
    });
  }

  #later() { // touch screens and shifted arrows select without a pointer's release over the text
    clearTimeout(this.timer);
    this.timer = setTimeout(() => !this.bar.isOpen && this.#selected(false), 500);
  }

  #listed(entry) {
    if (entry) this.#reopen(Number(entry.dataset.marks), entry, Number(entry.dataset.start), entry.dataset.label);
  }

  #reopen(number, node, start, label) {
    const marks = this.marks[number];
    const card = node.closest("[data-card]");
    const text = marks?.texts.find((one) => one.letter === (card?.dataset.card ?? ""));
    const spans = text ? marks.of(text).filter((one) => one.start === start) : [];
    const span = spans.find((one) => (label ?? one.label ?? "") === (one.label ?? ""));
    if (span) this.bar.open({ marks, text, span });
  }
}
