// A word count beside the required number.

import { ngettext } from "../gettext.js";
import { countWords } from "../desk/words.js";

export function showWordCounts(page) {
  for (const question of page.form.querySelectorAll(".question:has(textarea)")) {
    let count = question.querySelector("[data-words]");
    if (!count) {
      count = document.createElement("p");
      count.className = "word-count";
      count.dataset.words = "";
      question.append(count);
    }
    const words = countWords(question.querySelector("textarea").value);
    count.textContent = ngettext("%(n)s word", "%(n)s words", words);
  }
}
