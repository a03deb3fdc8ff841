// What a rater has switched on stays so for the session; a browser that keeps nothing forgets it, and no more.

export function remember(name, on) {
  try {
    window.sessionStorage.setItem(name, on ? "on" : "off");
  } catch {
    // Nothing is lost but the setting.
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
