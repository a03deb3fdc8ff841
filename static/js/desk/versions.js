// Two versions of the same answer, side by side, and the choice with which one to go on.

import { wording } from "./page.js";

function described(fieldset, values = []) {
  const choices = [...fieldset.querySelectorAll("input")];
  if (!choices.length) return values.at(-1) ?? "";
  const chosen = choices.filter((input) => values.includes(input.value));
  return chosen.map((input) => wording(input.closest("label"))).join(", ");
}

function list(page, node, answers) {
  node.replaceChildren(
    ...[...page.form.querySelectorAll(".question")].flatMap((fieldset) => {
      const term = document.createElement("dt");
      const value = document.createElement("dd");
      term.textContent = fieldset.querySelector(".question-text bdi").textContent;
      value.textContent = described(fieldset, answers[fieldset.dataset.name]) || "–";
      value.dir = "auto";
      return [term, value];
    }),
  );
}

// Resolves to "mine" or "theirs"; there is no way round choosing.
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
