// A button that copies the text of the field it names, and says so where it stood.
document.addEventListener("click", (event) => {
  const button = event.target instanceof Element && event.target.closest("[data-copy]");
  if (!button) return;
  const field = document.getElementById(button.dataset.copy);
  field.focus();
  field.select();
  const say = (text) => { button.textContent = text; };
  if (!navigator.clipboard) { // only https and this computer itself have it
    say("Selected: copy with Ctrl+C");
    return;
  }
  navigator.clipboard.writeText(field.value).then(() => say("Copied"), () => say("Selected: copy with Ctrl+C"));
});
