// Two versions of the same answer, side by side, to choose which one to keep.

import { wording } from "./page.js";

// A question's fields in words: the labels of choices, numbers after their subject, texts as they are.
function described(fieldset, answers) {
  const named = (name) => [...fieldset.querySelectorAll("[name]")].filter((control) => control.name === name);
  const said = Object.entries(answers).flatMap(([name, values]) => named(name).flatMap((control) => inWords(control, values)));
  return said.join(", ");
}

function inWords(control, values) {
  const label = control.closest("label");
  if (["radio", "checkbox"].includes(control.type)) return values.includes(control.value) ? [wording(label)] : [];
  const value = values.at(-1) ?? "";
  if (control.dataset.quotes) return quotes(value, control.dataset.quotes);
  return [label ? `${wording(label)} ${value}` : value];
}

// The texts under `key` in a field with JSON.
function quotes(json, key) {
  const found = [];
  try {
    JSON.parse(json, (name, value) => (name === key ? found.push(`“${value}”`) : value));
  } catch {
    found.push(json);
  }
  return found;
}

function list(page, node, answers) {
  node.replaceChildren(
    ...[...page.form.querySelectorAll(".question")].flatMap((fieldset) => {
      const term = document.createElement("dt");
      const value = document.createElement("dd");
      term.textContent = fieldset.querySelector(".question-text bdi").textContent;
      value.textContent = described(fieldset, answers) || "–";
      value.dir = "auto";
      return [term, value];
    }),
  );
}

// All that was answered, as [question, answer] pairs in the order of the page; for people, where the page is gone.
export function answersInWords(page, answers) {
  const told = new Set();
  const asked = [...page.form.elements].filter(({ name }) => name in answers && !told.has(name));
  return asked.flatMap((control) => {
    const question = control.closest(".question");
    const fields = question ? [...question.querySelectorAll("[name]")].map(({ name }) => name) : [control.name];
    if (told.has(control.name) || (!question && control.type === "hidden")) return [];
    fields.forEach((name) => told.add(name));
    const text = question?.querySelector(".question-text bdi")?.textContent ?? wording(control.labels[0] ?? control);
    const said = question && described(question, answers);
    return [[text, said || answers[control.name].join(", ")]];
  });
}

// Resolves to "mine" or "theirs"; the person must choose.
export function chooseVersion(page, mine, theirs) {
  const dialog = page.root.querySelector("#versions");
  list(page, dialog.querySelector('[data-version="mine"]'), mine);
  list(page, dialog.querySelector('[data-version="theirs"]'), theirs);
  dialog.showModal();
  return new Promise((resolve) => {
    const chosen = new AbortController();
    const signal = AbortSignal.any([chosen.signal, page.signal]);
    dialog.addEventListener("cancel", (event) => event.preventDefault(), { signal });
    dialog.addEventListener(
      "click",
      (event) => {
        const choice = event.target.closest("[data-choose]")?.dataset.choose;
        if (!choice) return;
        chosen.abort();
        dialog.close();
        resolve(choice);
      },
      { signal },
    );
  });
}
