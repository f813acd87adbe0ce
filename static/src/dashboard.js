// What the dashboard does better with scripts: Ctrl-K or ⌘K finds a payment, and the preview follows the form.
(function () {
  "use strict";
  document.addEventListener("keydown", function (event) {
    if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k") {
      var menu = document.getElementById("menu");
      var find = document.querySelector("[data-find]");
      if (!find) return;
      event.preventDefault();
      if (menu) menu.checked = true;
      find.focus();
      find.select();
    }
  });

  var looks = document.querySelector("form[data-preview]");
  var wait = 0;
  if (looks) {
    looks.addEventListener("input", function () {
      clearTimeout(wait);
      wait = setTimeout(function () { looks.requestSubmit(looks.querySelector("[data-preview-button]")); }, 400);
    });
  }
})();
