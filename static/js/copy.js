// A button that copies the text of the field it names, and confirms it.
document.addEventListener("click", (event) => {
  const button = event.target instanceof Element && event.target.closest("[data-copy]");
  if (!button) return;
  const field = document.getElementById(button.dataset.copy);
  field.focus();
  field.select();
  const say = (text) => { button.textContent = text; };
  if (!navigator.clipboard) { // available only over https and on localhost
    say("Press Ctrl+C to copy");
    return;
  }
  navigator.clipboard.writeText(field.value).then(() => say("Copied"), () => say("Press Ctrl+C to copy"));
});
