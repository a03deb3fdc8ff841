// Early events: keys and clicks that come before the page's own script has arrived. `earlyEvents()` gives them, once,
// to keys.js.
{
  const READING = [" ", "PageUp", "PageDown", "ArrowUp", "ArrowDown", "Home", "End"];
  const early = [];
  const noteKey = ({ target, key, code, shiftKey, repeat, ctrlKey, metaKey, altKey }) => {
    const root = document.documentElement;
    if (repeat || ctrlKey || metaKey || altKey || ![document.body, root].includes(target)) return;
    const hasScrolled = READING.includes(key) && root.scrollHeight > root.clientHeight; // the browser does it
    early.push({ key, code, shiftKey, hasScrolled });
  };
  // Other controls, buttons that open a popover, and the theme's switch work without the page's script.
  const noteClick = (event) => {
    const button = event.target.closest("button[type=button]:not([popovertarget], [data-theme-switch])");
    if (button) early.push({ button });
  };
  document.addEventListener("keydown", noteKey);
  document.addEventListener("click", noteClick);
  window.earlyEvents = () => {
    document.removeEventListener("keydown", noteKey);
    document.removeEventListener("click", noteClick);
    return early.splice(0);
  };
}
