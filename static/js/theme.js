// Loaded before the first paint, so that no page shows itself in the wrong colours first.
// The choice (light, dark, or none: the system's) is kept on this computer only.
(function () {
  "use strict";
  var root = document.documentElement;
  var order = ["system", "light", "dark"];
  var words = { system: "as the system", light: "light", dark: "dark" };

  function kept() {
    try {
      var value = window.localStorage.getItem("theme");
      return order.indexOf(value) > 0 ? value : "system";
    } catch (refused) {
      return "system"; // a browser that keeps nothing still shows pages
    }
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
      node.textContent = words[value];
    });
  }

  root.classList.add("js");
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
