// Copy buttons: <button data-copy="text" data-done="Copied">. The label returns after two seconds.
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
      var label = button.querySelector("[data-label]") || button;
      if (button.timer) clearTimeout(button.timer); else button.before = label.textContent;
      label.textContent = button.getAttribute("data-done");
      florinSay(button.getAttribute("data-done"));
      button.timer = setTimeout(function () { label.textContent = button.before; button.timer = 0; }, 2000);
    });
  });

  // One polite live region for the whole page: it outlives every swap, so screen readers keep hearing it.
  window.florinSay = function (text) {
    var region = document.getElementById("announce");
    if (region && text && region.textContent !== text) region.textContent = text;
  };
})();
