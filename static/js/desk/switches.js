// A rater's settings last for the browser session; without storage they are not remembered.

export function remember(name, on) {
  try {
    window.sessionStorage.setItem(name, on ? "on" : "off");
  } catch {
    // The setting is not remembered.
  }
}

export function remembered(name, otherwise = false) {
  try {
    const kept = window.sessionStorage.getItem(name);
    return kept === null ? otherwise : kept === "on";
  } catch {
    return otherwise;
  }
}
