// The page's data, read once from the markup that the server sent.

const PREFIX = "q-";

export class Page {
  constructor(root) {
    this.root = root;
    this.form = root.querySelector("#answer");
    this.assignment = root.dataset.assignment;
    this.tag = root.dataset.personTag;
    this.isPreview = "preview" in root.dataset;
    this.isPractice = "practice" in root.dataset;
    this.version = Number(root.dataset.draftVersion);
    this.address = root.dataset.page;
    this.draft = root.dataset.draft;
    this.pulse = root.dataset.pulse;
    this.home = root.dataset.home || "/";
    this.signIn = root.dataset.signIn;
    this.token = this.hidden("csrfmiddlewaretoken").value;
    this.closing = new AbortController();
    this.signal = this.closing.signal;
  }

  hidden(name) {
    return this.form.querySelector(`[data-part="hidden"] [name="${name}"]`);
  }

  get revision() {
    return Number(this.hidden("revision").value);
  }

  on(target, type, handler, options = {}) {
    target.addEventListener(type, handler, { ...options, signal: this.signal });
  }

  // What measures the page at its beginning. Asking for a size makes the browser lay everything out, and keys would
  // wait until then. A hidden page is never painted, so there it is done at once.
  beforePaint(act) {
    const later = document.hidden ? queueMicrotask : requestAnimationFrame;
    later(() => this.signal.aborted || act());
  }

  // A field belongs to its form wherever it is on the page: the answer that is edited is in a pane of its own.
  onFields(type, handler) {
    this.on(this.root, type, (event) => event.target.form === this.form && handler(event));
  }

  // {field: [values]} of all questions, without empty ones. FormData would omit questions that do not apply now, and
  // the draft would lose their answers.
  answers() {
    const answers = {};
    for (const field of this.form.elements) {
      const given = field.value !== "" && (!["radio", "checkbox"].includes(field.type) || field.checked);
      if (field.name?.startsWith(PREFIX) && given) (answers[field.name] ??= []).push(field.value);
    }
    return answers;
  }

  // What an autosave sends: also the answers to questions that do not apply now.
  draftBody() {
    const body = new URLSearchParams(new FormData(this.form));
    for (const [name, values] of Object.entries(this.answers())) {
      if (!body.has(name)) values.forEach((value) => body.append(name, value));
    }
    body.set("draft_version", this.version);
    return body;
  }

  fill(answers) {
    for (const control of this.form.elements) {
      if (!control.name?.startsWith(PREFIX)) continue;
      const values = answers[control.name] ?? [];
      if (control.type === "radio" || control.type === "checkbox") control.checked = values.includes(control.value);
      else control.value = values.at(-1) ?? "";
    }
    this.form.dispatchEvent(new CustomEvent("desk:filled"));
  }

  announce(text) {
    const region = this.root.querySelector("#announce");
    region.textContent = "";
    requestAnimationFrame(() => (region.textContent = text));
  }

  // `kind` is "good" for what went well.
  message(text, kind = "") {
    const node = this.root.querySelector("#message");
    node.textContent = text;
    node.dataset.kind = kind;
  }

  close() {
    this.closing.abort();
  }
}

export function sameAnswers(one, other) {
  const plain = (answers) =>
    JSON.stringify(
      Object.entries(answers)
        .map(([name, values]) => [name, values.filter((value) => value !== "")])
        .filter(([, values]) => values.length)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  return plain(one) === plain(other);
}

// The text of a choice, without the key printed on it.
export function wording(label) {
  const copy = label.cloneNode(true);
  copy.querySelectorAll("kbd:not(.step-number)").forEach((key) => key.remove());
  return copy.textContent.replace(/\s+/g, " ").trim();
}
