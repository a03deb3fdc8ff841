// Suggests a break after the time that the study states. Only this tab keeps the time; nothing is sent.

const BEGAN = "work-began";
const LAST = "work-last";
const MINUTE = 60000;

function noteActivity() {
  const note = document.querySelector("#break-note");
  if (!note) {
    return;
  }
  const now = Date.now();
  const last = Number(sessionStorage.getItem(LAST));
  if (!last || now - last >= Number(note.dataset.rest) * MINUTE) {
    sessionStorage.setItem(BEGAN, String(now));
  }
  sessionStorage.setItem(LAST, String(now));
  note.hidden = now - Number(sessionStorage.getItem(BEGAN)) < Number(note.dataset.after) * MINUTE;
}

export function watchBreaks() {
  for (const kind of ["keydown", "pointerdown", "wheel"]) {
    document.addEventListener(kind, noteActivity, { passive: true });
  }
  noteActivity();
}
