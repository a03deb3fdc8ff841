// Marking passages: text that is selected gets a small bar with labels, a note and a way to remove it. What is marked
// stands in the text and in a list under it.

import { selectedIn } from "../desk/selection.js";
import { Marks } from "./marks.js";
import { showBar } from "./spanbar.js";

export class Marking {
  constructor(page, texts) {
    Object.assign(this, { page, texts, all: [...texts.outputs, texts.article], current: null, open: null });
    page.on(document, "pointerup", (event) => this.#released(event));
    page.on(document, "pointerdown", ({ target }) => this.open && !target.closest("[data-span-bar], .marked-entry") && this.close());
    page.on(document, "selectionchange", () => this.#later());
    page.on(document, "keydown", (event) => this.#key(event), { capture: true });
    page.on(page.root, "click", (event) => this.#click(event));
    page.on(page.form, "input", (event) => this.#note(event));
    this.rebuild();
  }

  rebuild() {
    this.close();
    const fieldsets = [...this.page.form.querySelectorAll(".question:has([data-spans-field])")];
    this.marks = fieldsets.map((fieldset, number) => new Marks(this.page, fieldset, this.texts, number));
    this.draw();
  }

  // Of the panel on view, if passages are marked there.
  show(panel) {
    this.close();
    this.current = this.marks.find((marks) => panel.contains(marks.fieldset)) ?? null;
  }

  draw() {
    for (const text of this.all) {
      const about = this.marks.filter((marks) => marks.texts.includes(text));
      text.ranges.spans = about.flatMap((marks) => marks.ranges(text));
      text.paint();
      const list = this.page.root.querySelector(`[data-marked="${text.letter}"]`);
      list?.replaceChildren(...about.flatMap((marks) => marks.entries(text)));
      if (list) list.hidden = !list.childElementCount;
    }
    this.marks.forEach((marks) => marks.count());
  }

  mark(text, start, end, label) {
    const span = this.current.add(text, start, end, label);
    document.getSelection().removeAllRanges();
    this.draw();
    if (span) this.page.announce(`Marked in ${text.name}: ${span.text}${label ? `, ${label}` : ""}.`);
    return span;
  }

  remove(marks, span) {
    marks.remove(span);
    this.draw();
    this.page.announce(`No longer marked: ${span.text}.`);
  }

  // The bar for what was just selected, {text, start, end}, or for a `span` that is there.
  ask(open, focusNote = false) {
    this.open = open;
    showBar(open);
    if (focusNote) open.marks.bar.querySelector("[data-note]").focus();
  }

  close() {
    if (!this.open) return;
    const { marks, text } = this.open;
    this.open = null;
    if (marks.bar.contains(document.activeElement)) text.scroll.focus({ preventScroll: true });
    if (marks.bar.isConnected && marks.bar.matches(":popover-open")) marks.bar.hidePopover();
  }

  #label(label) {
    const { marks, text, span, start, end } = this.open;
    if (!span) {
      const made = this.mark(text, start, end, label);
      return made ? this.ask({ marks, text, span: made }) : this.close();
    }
    if ((span.label ?? "") === label) return undefined;
    const changed = marks.change(span, label ? { label } : {});
    this.draw();
    return this.ask({ marks, text, span: changed });
  }

  #selected() {
    if (!this.current) return;
    for (const text of this.current.texts) {
      const part = selectedIn(text);
      if (part && text.text.slice(...part).trim()) return this.ask({ marks: this.current, text, start: part[0], end: part[1] });
    }
  }

  #released(event) {
    if (event.target.closest?.("[data-span-bar]")) return;
    setTimeout(() => {
      const mark = event.target.closest?.("mark.span");
      if (!document.getSelection().isCollapsed) this.#selected();
      else if (mark) this.#reopen(Number(mark.dataset.marks), mark, Number(mark.dataset.start));
    });
  }

  #later() { // touch screens and shifted arrows select without a pointer's release over the text
    clearTimeout(this.timer);
    this.timer = setTimeout(() => !this.open && this.#selected(), 500);
  }

  #reopen(number, node, start, label) {
    const marks = this.marks[number];
    const card = node.closest("[data-card]");
    const text = marks?.texts.find((one) => one.letter === (card?.dataset.card ?? ""));
    const spans = text ? marks.of(text).filter((one) => one.start === start) : [];
    const span = spans.find((one) => (label ?? one.label ?? "") === (one.label ?? ""));
    if (span) this.ask({ marks, text, span });
  }

  #click(event) {
    const entry = event.target.closest(".marked-entry");
    if (entry) return this.#reopen(Number(entry.dataset.marks), entry, Number(entry.dataset.start), entry.dataset.label);
    const bar = this.open && event.target.closest("[data-span-bar]");
    if (!bar) return undefined;
    const label = event.target.closest("[data-label]");
    if (label) return this.#label(label.dataset.label);
    return event.target.closest("[data-remove]") ? this.#removeOpen() : event.target.closest("[data-close]") && this.close();
  }

  #removeOpen() {
    const { marks, span } = this.open;
    this.close();
    if (span) this.remove(marks, span);
  }

  #note(event) {
    if (!event.target.matches("[data-note]") || !this.open?.span) return;
    this.open.span = this.open.marks.change(this.open.span, { note: event.target.value.trim() });
    this.draw();
  }

  #key(event) {
    if (!this.open || event.ctrlKey || event.metaKey) return;
    const writing = event.target.matches?.("[data-note]");
    const labels = this.open.marks.labels;
    if (event.key === "Escape" || (event.key === "Enter" && writing)) this.close();
    else if (!writing && /^[1-9]$/.test(event.key) && labels[event.key - 1]) this.#label(labels[event.key - 1]);
    else if (!writing && ["Delete", "Backspace"].includes(event.key) && this.open.span) this.#removeOpen();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
