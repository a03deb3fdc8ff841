// How far a question's panel is answered, in a word.

export function wordsOf(text) {
  return text.split(/[\s\u001c-\u001f\u0085]+/u).filter(Boolean).length;
}

export function stateOf(panel) {
  const questions = [...panel.querySelectorAll(".question")].filter((question) => !question.disabled);
  if (!questions.length) return { kind: "done", word: "not asked" };
  const parts = questions.map(one);
  const done = parts.reduce((sum, part) => sum + part.done, 0);
  const all = parts.reduce((sum, part) => sum + part.all, 0);
  if (parts.every((part) => part.done >= part.all)) return { kind: "done", word: "done" };
  const optional = questions.every((question) => question.dataset.required !== "yes");
  if (!done) return { kind: "empty", word: optional ? "optional" : "open" };
  return { kind: "partial", word: `${done} of ${all}` };
}

function one(question) {
  const ranks = [...question.querySelectorAll("[data-rank-of]")];
  if (ranks.length) return { done: ranks.filter((field) => field.value.trim()).length, all: ranks.length };
  const free = [...question.querySelectorAll("[data-free]")];
  if (free.length) return { done: free.filter((box) => box.checked || box.dataset.marked === "yes").length, all: free.length };
  const text = question.querySelector("textarea");
  if (!text) return { done: question.querySelector(":checked") ? 1 : 0, all: 1 };
  const least = Number(question.dataset.minWords) || 0;
  const words = wordsOf(text.value);
  if (!words || !least) return { done: words ? 1 : 0, all: 1 };
  return { done: Math.min(words, least), all: least };
}
