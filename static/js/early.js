// Keys that are pressed before the page's own script has arrived: `earlyKeys()` gives them, once, to keys.js.
{
  const pressed = [];
  const note = (event) => {
    const plain = !event.repeat && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (plain && [document.body, document.documentElement].includes(event.target)) pressed.push(event);
  };
  document.addEventListener("keydown", note);
  window.earlyKeys = () => {
    document.removeEventListener("keydown", note);
    return pressed.splice(0);
  };
}
