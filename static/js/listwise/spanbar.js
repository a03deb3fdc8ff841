// The small bar beside a selection or a span: its labels, its note and a remove button. It closes when a label is
// chosen, or the severity after it, and it takes no key that it does not print.

import { gettext } from "../gettext.js";

const OWN_KEYS = ["Tab", "Shift", "Control", "Alt", "Meta", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"];

export class SpanBar {
  // `marking` marks, relabels and removes.
  constructor(page, marking) {
    Object.assign(this, { page, marking, at: null });
    page.on(document, "pointerdown", ({ target }) => this.at && !target.closest("[data-span-bar], .marked-entry") && this.close());
    page.on(document, "keydown", (event) => this.#key(event), { capture: true });
    page.on(page.root, "click", (event) => this.#click(event));
    page.on(page.form, "input", (event) => event.target.matches("[data-note]") && this.#note(event.target.value.trim()));
  }

  get isOpen() {
    return this.at !== null;
  }

  // For a new selection {marks, text, start, end}, or an existing `span` of {marks, text}. `label` is the one chosen, if
  // only the severity is missing.
  open(at, focusNote = false) {
    if (this.page.form.inert) return;
    if (this.at && this.at.marks !== at.marks) this.close();
    this.at = at;
    if (at.marks.severities.length && !at.marks.labels.length) at.label ??= "";
    show(at);
    if (focusNote) at.marks.bar.querySelector("[data-note]").focus();
  }

  close() {
    if (!this.at) return;
    const { marks, text } = this.at;
    this.at = null;
    if (marks.bar.contains(document.activeElement)) text.scroll.focus({ preventScroll: true });
    if (marks.bar.isConnected && marks.bar.matches(":popover-open")) marks.bar.hidePopover();
  }

  #label(label) {
    if (!this.at.marks.severities.length) return this.#finish({ label });
    this.at.label = label;
    show(this.at);
    return this.page.announce(whichSeverity(this.at.marks));
  }

  #severity(severity) {
    const label = this.at.label ?? this.at.span?.label;
    if (label === undefined && this.at.marks.labels.length) return this.page.announce(whichLabel(this.at.marks));
    return this.#finish({ label: label ?? "", severity });
  }

  #finish(said) {
    const { marks, text, span, start, end } = this.at;
    this.close();
    if (span) this.marking.relabel(marks, text, span, said);
    else this.marking.mark(text, start, end, said);
  }

  // A digit chooses a label, then a severity; false if none has it.
  #digit(key) {
    const { marks, label } = this.at;
    const asksSeverity = label !== undefined;
    const chosen = (asksSeverity ? marks.severities : marks.labels)[key - 1];
    if (chosen === undefined) return false;
    if (asksSeverity) this.#severity(chosen);
    else this.#label(chosen);
    return true;
  }

  #remove() {
    const { marks, span } = this.at;
    this.close();
    if (span) this.marking.remove(marks, span);
  }

  #note(note) {
    if (this.at?.span) this.at.span = this.marking.annotate(this.at.marks, this.at.span, note);
  }

  #click(event) {
    if (!this.at || !event.target.closest("[data-span-bar]")) return;
    const label = event.target.closest("[data-label]");
    const severity = event.target.closest("[data-severity]");
    if (label) this.#label(label.dataset.label);
    else if (severity) this.#severity(severity.dataset.severity);
    else if (event.target.closest("[data-remove]")) this.#remove();
    else if (event.target.closest("[data-close]")) this.close();
  }

  #key(event) {
    if (!this.at || this.page.form.inert || event.ctrlKey || event.metaKey || event.altKey) return;
    const { marks, span } = this.at;
    const within = marks.bar.contains(document.activeElement);
    if (event.key === "Escape") this.close();
    else if (event.target.matches?.("[data-note]")) {
      if (event.key !== "Enter") return;
      this.close();
    } else if (/^[1-9]$/.test(event.key) && this.#digit(event.key)) event.stopPropagation();
    else if (["Delete", "Backspace"].includes(event.key) && span) this.#remove();
    else if (event.key.toLowerCase() === "n" && span) this.open(this.at, true);
    else if (event.key === "Enter" && !within && !span) this.#enter(marks);
    else if (OWN_KEYS.includes(event.key) || (within && ["Enter", " "].includes(event.key))) return;
    else return this.close(); // a key of the page, which does what it always does
    event.preventDefault();
    event.stopPropagation();
  }

  #enter(marks) {
    if (this.at.label !== undefined) return this.page.announce(whichSeverity(marks));
    if (!marks.labels.length) return this.#label("");
    return this.page.announce(whichLabel(marks));
  }
}

export function whichLabel({ labels }) {
  return `${gettext("Which label?")} ${labels.map((label, place) => `${place + 1} ${label}`).join(", ")}.`;
}

function whichSeverity({ severities }) {
  return `${gettext("How severe?")} ${severities.map((severity, place) => `${place + 1} ${severity}`).join(", ")}.`;
}

function show({ marks: { bar }, text, span, start, end, label }) {
  bar.querySelector("[data-quote]").textContent = span?.text ?? text.text.slice(start, end);
  bar.querySelector("[data-note]").value = span?.note ?? "";
  bar.classList.toggle("is-new", !span);
  bar.classList.toggle("asks-severity", label !== undefined);
  for (const button of bar.querySelectorAll("[data-label]")) {
    const chosen = label ?? (span && (span.label ?? ""));
    button.setAttribute("aria-pressed", String(button.dataset.label === chosen));
  }
  for (const button of bar.querySelectorAll("[data-severity]")) {
    button.setAttribute("aria-pressed", String(button.dataset.severity === span?.severity));
  }
  if (!bar.matches(":popover-open")) bar.showPopover();
  const mark = span ? text.node.querySelector(`mark.span[data-start="${span.start}"]`) : null;
  const shown = mark ?? text.node.querySelector("mark.cursor") ?? document.getSelection().getRangeAt(0);
  place(bar, shown.getBoundingClientRect());
}

// Under the span, or above it if there is no room.
function place(bar, box) {
  const below = box.bottom + bar.offsetHeight + 8 < window.innerHeight;
  bar.style.top = `${Math.max(4, below ? box.bottom + 6 : box.top - bar.offsetHeight - 6)}px`;
  bar.style.left = `${Math.max(4, Math.min(box.left, window.innerWidth - bar.offsetWidth - 8))}px`;
}
