// The marked passages of one question, kept in its hidden field as the server reads them: outputs by letter, places in
// code points. Passages of the document name no output.

import { element } from "./board.js";
import { passage, units } from "./points.js";

export class Marks {
  constructor(page, fieldset, { outputs, article }, number) {
    Object.assign(this, { page, fieldset, number });
    this.field = fieldset.querySelector("[data-spans-field]");
    this.bar = fieldset.querySelector("[data-span-bar]");
    this.texts = fieldset.dataset.on === "document" ? [article] : outputs;
    this.labels = [...this.bar.querySelectorAll("[data-label]")].map((button) => button.dataset.label).filter(Boolean);
  }

  get spans() {
    try {
      return JSON.parse(this.field.value || "{}").spans ?? [];
    } catch {
      return []; // what the server refused and nobody can read: marking anew replaces it
    }
  }

  #keep(spans) {
    this.field.value = spans.length ? JSON.stringify({ spans }) : "";
    this.count();
    this.field.dispatchEvent(new Event("input", { bubbles: true }));
  }

  of(text) {
    return this.spans.filter((span) => (span.output ?? "") === text.letter);
  }

  // Mark [start, end) in units; touching passages with the same label become one. Returns the span, null for blanks.
  add(text, start, end, label) {
    const found = passage(text.text, start, end);
    if (!found) return null;
    const made = { ...(text.letter ? { output: text.letter } : {}), ...found, ...(label ? { label } : {}) };
    const others = [];
    for (const span of this.spans) {
      const same = (span.output ?? "") === text.letter && (span.label ?? "") === (label ?? "");
      if (!same || span.end <= made.start || span.start >= made.end) {
        others.push(span);
        continue;
      }
      made.start = Math.min(made.start, span.start);
      made.end = Math.max(made.end, span.end);
      made.note = [made.note, span.note].filter(Boolean).join("; ");
    }
    made.text = text.text.slice(units(text.text, made.start), units(text.text, made.end));
    if (!made.note) delete made.note;
    this.#free(text, false);
    this.#keep([...others, made].sort((a, b) => a.start - b.start));
    return made;
  }

  change(span, more) {
    const same = (one) => ["output", "start", "end", "label"].every((key) => one[key] === span[key]);
    const changed = { ...span, ...more };
    if (!changed.note) delete changed.note;
    this.#keep(this.spans.map((one) => (same(one) ? changed : one)));
    return changed;
  }

  remove(span) {
    const same = (one) => ["output", "start", "end", "label"].every((key) => one[key] === span[key]);
    this.#keep(this.spans.filter((one) => !same(one)));
  }

  // The spans over the word or place [start, end) in units.
  at(text, start, end) {
    return this.of(text).filter((span) => units(text.text, span.start) < end && units(text.text, span.end) > start);
  }

  box(text) {
    return this.fieldset.querySelector(`[data-free="${text.letter || "ALL"}"]`);
  }

  // Say that there is nothing to mark, or take it back.
  toggleFree(text) {
    if (this.of(text).length) return this.page.announce(`There are passages marked in ${text.name}: remove them first.`);
    const box = this.box(text);
    this.#free(text, !box.checked);
    return this.page.announce(`${box.checked ? "No error" : "Open again"}: ${text.name}.`);
  }

  #free(text, on) {
    const box = this.box(text);
    if (box.checked === on) return;
    box.checked = on;
    box.dispatchEvent(new Event("input", { bubbles: true }));
    box.dispatchEvent(new Event("change", { bubbles: true }));
  }

  // Ranges to paint, entries for the list under the card, and the counts beside the choices.
  ranges(text) {
    return this.of(text).map((span) => ({
      start: units(text.text, span.start), end: units(text.text, span.end), kind: "span", data: { marks: this.number, start: span.start },
    }));
  }

  entries(text) {
    return this.of(text).map((span) => {
      const entry = document.createElement("li");
      const button = element("button", "marked-entry", { marks: this.number, start: span.start, label: span.label ?? "" });
      button.type = "button";
      const quoted = document.createElement("bdi");
      quoted.textContent = `“${span.text}”`;
      button.append(quoted, ...[span.label, span.note].filter(Boolean).map((part) => element("span", "marked-said", {}, part)));
      entry.append(button);
      return entry;
    });
  }

  count() {
    for (const text of this.texts) {
      const many = this.of(text).length;
      const box = this.box(text);
      if (!box) continue;
      box.dataset.marked = many ? "yes" : "no";
      box.disabled = many > 0;
      this.fieldset.querySelector(`[data-count-of="${text.letter || "ALL"}"]`).textContent = many ? `${many} marked` : "";
    }
  }
}
