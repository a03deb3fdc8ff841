// The small bar beside a passage: its labels, its note, and a way to remove it.

export function showBar({ marks: { bar }, text, span, start, end }) {
  bar.querySelector("[data-quote]").textContent = span?.text ?? text.text.slice(start, end);
  bar.querySelector("[data-note]").value = span?.note ?? "";
  bar.classList.toggle("is-new", !span);
  for (const button of bar.querySelectorAll("[data-label]")) {
    button.setAttribute("aria-pressed", String(span !== undefined && button.dataset.label === (span.label ?? "")));
  }
  if (!bar.matches(":popover-open")) bar.showPopover();
  const mark = span ? text.node.querySelector(`mark.span[data-start="${span.start}"]`) : null;
  place(bar, (mark ?? document.getSelection().getRangeAt(0)).getBoundingClientRect());
}

// Under the passage, or over it where there is no room.
function place(bar, box) {
  const below = box.bottom + bar.offsetHeight + 8 < window.innerHeight;
  bar.style.top = `${Math.max(4, below ? box.bottom + 6 : box.top - bar.offsetHeight - 6)}px`;
  bar.style.left = `${Math.max(4, Math.min(box.left, window.innerWidth - bar.offsetWidth - 8))}px`;
}
