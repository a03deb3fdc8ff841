// How the page shows a task, in a few words that are kept with the answer: the window, the pointer, where the questions
// are, how close together, how the labels of a scale are laid out, and whether all of that was in view at once.
// docs/protocols.md lists the words.

export function deviceOf(page) {
  const dock = page.form.closest(".dock") ?? page.form;
  return [windowClass(), pointer(), place(dock), density(dock), scale(dock), overflows(dock) ? "scrolled" : "whole"].join(" ");
}

const is = (query) => window.matchMedia(query).matches;

function windowClass() {
  if (is("(max-width: 50rem)")) return "phone";
  if (is("(max-width: 63.99rem)")) return "tablet";
  return is("(max-width: 109.99rem)") ? "laptop" : "large";
}

function pointer() {
  if (is("(pointer: coarse)")) return "coarse";
  return is("(pointer: fine)") ? "fine" : "keyboard";
}

// The questions on a page that scrolls, beside the texts, or docked below them.
function place(dock) {
  if (document.documentElement.scrollHeight > window.innerHeight + 1) return "page";
  const main = dock.closest("main") ?? document.body;
  return dock.getBoundingClientRect().top < main.getBoundingClientRect().top + 60 ? "beside" : "below";
}

function density({ classList }) {
  if (classList.contains("is-compact")) return "compact";
  return classList.contains("is-tight") ? "tight" : "wide";
}

function scale(dock) {
  const shown = [...dock.querySelectorAll(".scale:not(.bare)")].find((one) => one.checkVisibility());
  if (!shown) return "unlabelled";
  return getComputedStyle(shown).gridAutoFlow === "column" ? "columns" : "rows";
}

function overflows(dock) {
  return dock.scrollHeight > dock.clientHeight + 1 || document.documentElement.scrollHeight > window.innerHeight + 1;
}
