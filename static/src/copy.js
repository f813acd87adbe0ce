// Copy buttons: <button data-copy="text" data-done="Copied" data-hold="Press and hold to copy">, which has the class copied
// for two seconds. "Copied" is said only when it was: a payer would paste an older address.
(function () {
  "use strict";
  document.documentElement.classList.add("js");

  // Some browsers inside of apps never answer.
  var PATIENCE = 1000;
  var latest = null; // the button that was pressed last: what came late of another would take the clipboard from it

  function byCommand(text) {
    var area = document.createElement("textarea"), focused = document.activeElement, done = false;
    area.value = text;
    area.className = "sr";
    document.body.appendChild(area);
    area.select();
    try { done = document.execCommand("copy") === true; } catch (error) { /* not copied */ }
    area.remove();
    if (focused) focused.focus({ preventScroll: true });
    return done;
  }

  // Resolves to whether the clipboard holds the text. Its interface exists on https and localhost only.
  function copy(text, wanted) {
    var written = Promise.resolve(false);
    try {
      if (navigator.clipboard) written = navigator.clipboard.writeText(text).then(function () { return true; }, function () { return false; });
    } catch (error) { /* not copied */ }
    var late = new Promise(function (resolve) { setTimeout(resolve, PATIENCE, false); });
    return Promise.race([written, late]).then(function (done) { return done || wanted() && byCommand(text); });
  }

  function dropByHand() { document.querySelectorAll(".byhand").forEach(function (old) { old.remove(); }); }

  // Shows the text itself, selected: holding it copies it.
  function byHand(button, text) {
    var hold = button.getAttribute("data-hold") || "Press and hold to copy";
    var part = document.createElement("div"), hint = document.createElement("p"), shown = document.createElement("p");
    part.className = "byhand";
    hint.className = "key";
    hint.textContent = hold;
    shown.className = "mono";
    shown.dir = "ltr";
    shown.textContent = text;
    part.append(hint, shown);
    button.after(part);
    getSelection().selectAllChildren(shown);
    florinSay(hold);
  }

  document.addEventListener("click", function (event) {
    var button = event.target.closest("[data-copy],[data-print]");
    if (!button) return;
    if (button.hasAttribute("data-print")) { window.print(); return; }
    var text = button.getAttribute("data-copy");
    latest = button;
    function wanted() { return latest === button; }
    copy(text, wanted).then(function (done) {
      if (!wanted()) return;
      dropByHand();
      clearTimeout(button.timer);
      button.classList.toggle("copied", done);
      if (!done) return byHand(button, text);
      florinSay(button.getAttribute("data-done"));
      button.timer = setTimeout(function () { button.classList.remove("copied"); }, 2000);
    });
  });

  // One polite live region for the whole page: it outlives every swap, so screen readers keep hearing it.
  window.florinSay = function (text) {
    var region = document.getElementById("announce");
    if (region && text && region.textContent !== text) region.textContent = text;
  };
})();
