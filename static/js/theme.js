// Loads before the first paint, so that no page flashes in the wrong colours.
// The theme (light, dark or the system's) and the reader's sizes are stored in this browser only.
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
