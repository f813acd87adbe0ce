// Copy buttons: <button data-copy="text" data-done="Copied">, which has the class copied for two seconds.
(function () {
  "use strict";
  document.documentElement.classList.add("js");

  function fallback(text) {
    var area = document.createElement("textarea");
    area.value = text;
    area.className = "sr";
    document.body.appendChild(area);
    area.select();
    try { document.execCommand("copy"); } finally { area.remove(); }
  }

  document.addEventListener("click", function (event) {
    var button = event.target.closest("[data-copy],[data-print]");
    if (!button) return;
    if (button.hasAttribute("data-print")) { window.print(); return; }
    var text = button.getAttribute("data-copy");
    // The clipboard interface exists on https and localhost only.
    var copied = navigator.clipboard ? navigator.clipboard.writeText(text).catch(function () { fallback(text); }) : Promise.resolve(fallback(text));
    copied.then(function () {
      button.classList.add("copied");
      florinSay(button.getAttribute("data-done"));
      clearTimeout(button.timer);
      button.timer = setTimeout(function () { button.classList.remove("copied"); }, 2000);
    });
  });

  // One polite live region for the whole page: it outlives every swap, so screen readers keep hearing it.
  window.florinSay = function (text) {
    var region = document.getElementById("announce");
    if (region && text && region.textContent !== text) region.textContent = text;
  };
})();
