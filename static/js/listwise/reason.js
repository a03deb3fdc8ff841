// A word count beside the required number.

import { ngettext } from "../gettext.js";
import { wordsOf } from "../desk/completeness.js";

export function countWords(page) {
  for (const question of page.form.querySelectorAll(".question:has(textarea)")) {
    let count = question.querySelector("[data-words]");
    if (!count) {
      count = document.createElement("p");
      count.className = "word-count";
      count.dataset.words = "";
      question.append(count);
    }
    const words = wordsOf(question.querySelector("textarea").value);
    count.textContent = ngettext("%(n)s word", "%(n)s words", words);
  }
}
