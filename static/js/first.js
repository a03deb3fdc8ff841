// Runs before the first paint, so that no page flashes in the wrong colours and no early key is lost: one file, because
// browsers ask for six at once. The theme (light, dark or the system's) and the reader's sizes are stored in this browser
// only. If the script's element says so (`data-listens`), keys and clicks are noted until the page's own script is there.
(function () {
  "use strict";
  var root = document.documentElement;
  var order = ["system", "light", "dark"];

  // The file of the page's language has arrived when the document is complete.
  function gettext(text) {
    var language = window.interraterLanguage;
    return (language && language.words[text]) || text;
  }

  function wordOf(theme) {
    if (theme === "system") return gettext("system");
    return theme === "light" ? gettext("light") : gettext("dark");
  }

  function kept() {
    var value = stored("theme");
    return order.indexOf(value) > 0 ? value : "system";
  }

  function keep(value) {
    try {
      window.localStorage.setItem("theme", value);
    } catch (refused) {
      return;
    }
  }

  function apply(value) {
    if (value === "system") {
      root.removeAttribute("data-theme");
    } else {
      root.setAttribute("data-theme", value);
    }
    document.querySelectorAll("[data-theme-word]").forEach(function (node) {
      node.textContent = wordOf(value);
    });
  }

  function stored(name) {
    try {
      return window.localStorage.getItem(name);
    } catch (refused) {
      return null; // the browser refuses storage
    }
  }

  // Text size and pane widths, which desk/sizes.js writes.
  function applySizes() {
    var size = Number(stored("text-size"));
    if (size >= 0.5 && size <= 3) {
      root.style.setProperty("--size", String(size));
    }
    var widths = {};
    try {
      widths = JSON.parse(stored("pane-widths") || "{}");
    } catch (broken) {
      return;
    }
    Object.keys(widths).forEach(function (name) {
      if (/^[a-z]+$/.test(name) && widths[name] >= 15 && widths[name] <= 60) {
        root.style.setProperty("--pane-" + name, widths[name] + "%");
      }
    });
  }

  root.classList.add("js");
  applySizes();
  apply(kept());
  document.addEventListener("DOMContentLoaded", function () {
    apply(kept());
  });
  document.addEventListener("click", function (event) {
    if (event.target instanceof Element && event.target.closest("[data-theme-switch]")) {
      var next = order[(order.indexOf(root.getAttribute("data-theme") || "system") + 1) % order.length];
      keep(next);
      apply(next);
    }
  });
})();

// Early events: keys and clicks that come before the page's own script has arrived. `earlyEvents()` gives them, once,
// to keys.js.
if (document.currentScript.hasAttribute("data-listens")) {
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
