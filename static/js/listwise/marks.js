// The marked spans of one question, stored in its hidden field as the server reads them: outputs by letter, positions
// in code points. Spans of the document name no output.

import { gettext, ngettext } from "../gettext.js";
import { element } from "./elements.js";
import { passage, units } from "./points.js";

export class Marks {
  constructor(page, fieldset, { outputs, article }, number) {
    Object.assign(this, { page, fieldset, number });
    this.field = fieldset.querySelector("[data-spans-field]");
    this.bar = fieldset.querySelector("[data-span-bar]");
    this.texts = fieldset.dataset.on === "document" ? [article] : outputs;
    this.labels = [...this.bar.querySelectorAll("[data-label]")].map((button) => button.dataset.label).filter(Boolean);
    this.severities = [...this.bar.querySelectorAll("[data-severity]")].map((button) => button.dataset.severity);
  }

  get spans() {
    try {
      return JSON.parse(this.field.value || "{}").spans ?? [];
    } catch {
      return []; // the server refused this value and it cannot be read: new marks replace it
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

  // Mark [start, end) in units; adjacent spans with the same label merge. Returns the span, or null for blanks.
  add(text, start, end, { label, severity }) {
    const found = passage(text.text, start, end);
    if (!found) return null;
    const made = { ...(text.letter ? { output: text.letter } : {}), ...found, ...(label ? { label } : {}), ...(severity ? { severity } : {}) };
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
    const changed = { ...span, ...more };
    for (const key of ["label", "note"]) if (!changed[key]) delete changed[key];
    this.#keep(this.spans.map((one) => (sameSpan(one, span) ? changed : one)));
    return changed;
  }

  remove(span) {
    this.#keep(this.spans.filter((one) => !sameSpan(one, span)));
  }

  // The spans that cover [start, end) in units.
  at(text, start, end) {
    return this.of(text).filter((span) => units(text.text, span.start) < end && units(text.text, span.end) > start);
  }

  box(text) {
    return this.fieldset.querySelector(`[data-free="${text.letter || "ALL"}"]`);
  }

  // Say that there is no error, or undo that.
  toggleFree(text) {
    if (this.of(text).length) return this.page.announce(gettext("%(text)s has marked spans. Remove them first.", { text: text.name }));
    const box = this.box(text);
    this.#free(text, !box.checked);
    return this.page.announce(`${box.checked ? gettext("No error") : gettext("Open again")}: ${text.name}.`);
  }

  #free(text, on) {
    const box = this.box(text);
    if (box.checked === on) return;
    box.checked = on;
    box.dispatchEvent(new Event("input", { bubbles: true }));
    box.dispatchEvent(new Event("change", { bubbles: true }));
  }

  // Paint ranges, list entries under the card, and counts beside the choices.
  ranges(text) {
    return this.of(text).map((span) => ({
      start: units(text.text, span.start), end: units(text.text, span.end), kind: "span", data: { marks: this.number, start: span.start },
    }));
  }

  // `newest` is the span that takes a note by its key.
  entries(text, newest) {
    return this.of(text).map((span) => {
      const entry = document.createElement("li");
      const button = element("button", "marked-entry", { marks: this.number, start: span.start, label: span.label ?? "" });
      button.type = "button";
      const quoted = document.createElement("bdi");
      quoted.textContent = `“${span.text}”`;
      button.append(quoted, ...[span.label, span.severity, span.note].filter(Boolean).map((part) => element("span", "marked-said", {}, part)));
      if (newest && sameSpan(newest, span)) button.append(noteKey());
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
      this.fieldset.querySelector(`[data-count-of="${text.letter || "ALL"}"]`).textContent = many ? ngettext("%(n)s marked", "%(n)s marked", many) : "";
    }
  }
}

function sameSpan(one, other) {
  return ["output", "start", "end", "label"].every((key) => one[key] === other[key]);
}

function noteKey() {
  const hint = element("span", "marked-key");
  hint.append(element("kbd", "", { key: "n" }, "N"), ` ${gettext("note")}`);
  return hint;
}
