// The page after the last task: times by this person's clock, and the key that undoes, unless single keys are off.

import { localTimes } from "./desk/times.js";

localTimes(document);
document.addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() !== "u" || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
  document.querySelector("#undo[aria-keyshortcuts]")?.click();
});
