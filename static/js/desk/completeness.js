// How much of a question is answered.

import { countWords } from "./words.js";

// {done, all}: of a ranking its outputs, of spans the texts that are marked or free of errors, of a text its words.
export function shareOf(question) {
  const ranks = [...question.querySelectorAll("[data-rank-of]")];
  if (ranks.length) return { done: ranks.filter((field) => field.value.trim()).length, all: ranks.length };
  const free = [...question.querySelectorAll("[data-free]")];
  if (free.length) return { done: free.filter((box) => !lacksMarks(box)).length, all: free.length };
  const extremes = [...question.querySelectorAll("[data-extreme]")];
  if (extremes.length) return { done: extremes.filter((one) => one.checked).length, all: 2 };
  const number = question.querySelector("[data-number]");
  if (number) return { done: number.value.trim() ? 1 : 0, all: 1 };
  const text = question.querySelector("textarea");
  if (!text) return { done: question.querySelector(":checked") ? 1 : 0, all: 1 };
  const least = Number(question.dataset.minWords) || 0;
  const words = countWords(text.value);
  if (!words || !least) return { done: words ? 1 : 0, all: 1 };
  return { done: Math.min(words, least), all: least };
}

export function isAnswered(question) {
  const { done, all } = shareOf(question);
  return done >= all;
}

// Whether the text beside this choice is neither marked nor said to be free of errors.
export function lacksMarks(box) {
  return !box.checked && box.dataset.marked !== "yes";
}
