// The researchers' queues: one key per action, printed on its control; the marked span is scrolled into view.

import { keepKeys } from "./desk/keyswitch.js";

const WRITING = "textarea, select, [contenteditable], input:not([type=radio], [type=checkbox])";

const box = document.querySelector("#keys-on");
const words = document.querySelector("[data-words]");

function set(on) {
  box.checked = on;
  document.documentElement.classList.toggle("keys-off", !on);
  for (const printed of document.querySelectorAll("kbd")) {
    const control = printed.closest("button, a") ?? printed.closest("label")?.control;
    if (!control) continue;
    if (on) control.setAttribute("aria-keyshortcuts", control.dataset.key ?? "Enter");
    else control.removeAttribute("aria-keyshortcuts");
  }
}

function keep() {
  set(box.checked);
  keepKeys(box, document.querySelector("[name=csrfmiddlewaretoken]").value);
}

function press(control) {
  control.click();
  if (control.matches("input")) words.focus();
}

function down(event) {
  if (event.defaultPrevented || event.isComposing || !(event.target instanceof Element)) return;
  const field = event.target.closest(WRITING);
  if (field && event.key === "Escape") field.blur();
  if (field && event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    field.form.requestSubmit();
  }
  if (field || !box.checked || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  const key = event.key.toLowerCase();
  const control = [...document.querySelectorAll("[data-key]")].find((one) => one.dataset.key === key);
  if (control) {
    event.preventDefault();
    press(control);
  } else if (key === "enter" && event.target.closest(".choice")) {
    event.preventDefault();
    words.form.requestSubmit();
  }
}

/** Scroll only inside the text's own pane, so that the page stays where it is. */
function show(pane) {
  const mark = pane.querySelector("mark.span");
  if (!mark) return;
  const from = mark.getBoundingClientRect().top - pane.getBoundingClientRect().top;
  pane.scrollTop += from - pane.clientHeight / 3;
}

set(box.checked);
box.addEventListener("change", keep);
document.addEventListener("keydown", down);
document.querySelectorAll("[data-scroll]").forEach(show);
(document.querySelector("[aria-invalid], [role=alert]") ? words : null)?.focus();
