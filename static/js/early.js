// Keys and clicks that come before the page's own script has arrived: `earlyActs()` gives them, once, to keys.js.
{
  const acts = [];
  const notePress = (event) => {
    const plain = !event.repeat && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (plain && [document.body, document.documentElement].includes(event.target)) acts.push(event);
  };
  // Other controls, and buttons that open a popover, work without a script.
  const noteClick = (event) => {
    const button = event.target.closest("button[type=button]:not([popovertarget])");
    if (button) acts.push({ button });
  };
  document.addEventListener("keydown", notePress);
  document.addEventListener("click", noteClick);
  window.earlyActs = () => {
    document.removeEventListener("keydown", notePress);
    document.removeEventListener("click", noteClick);
    return acts.splice(0);
  };
}
