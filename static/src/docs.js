// The documentation: remembers the language of the samples, and fills the reader's API key into them.
(function () {
  "use strict";
  var kept = "florin-language";

  // On a phone the list of pages is one line: it begins at this page.
  var here = document.querySelector("[data-here] [aria-current]");
  if (here) here.closest("ul").scrollLeft = here.offsetLeft - here.closest("ul").offsetLeft - 48;

  // Storage may be forbidden; the page works without it.
  function read() { try { return localStorage.getItem(kept); } catch (_) { return null; } }
  function keep(language) { try { localStorage.setItem(kept, language); } catch (_) { /* forgotten */ } }

  // choose shows every sample in the language, where there is one.
  function choose(language) {
    document.querySelectorAll(".langs input[type=radio]").forEach(function (input) {
      if (input.id.slice(-language.length - 1) === "-" + language) input.checked = true;
    });
  }

  document.addEventListener("change", function (event) {
    var input = event.target;
    if (!input.matches || !input.matches(".langs input[type=radio]")) return;
    var language = input.id.slice(input.name.length - 4); // the name is lang- and the task, the id the task and -language
    var top = input.getBoundingClientRect().top;
    keep(language);
    choose(language);
    // Samples above change their height: the one that was chosen stays where it is.
    window.scrollBy(0, input.getBoundingClientRect().top - top);
  });
  var language = read();
  if (language && /^[a-z]+$/.test(language)) choose(language);

  var box = document.querySelector("[data-fill-key]");
  if (!box) return;
  var placeholder = "flk_…";
  var places = [];
  document.querySelectorAll("pre code").forEach(function (code) {
    if (code.textContent.indexOf(placeholder) >= 0) places.push({ node: code, text: code.textContent });
  });
  document.querySelectorAll("[data-copy]").forEach(function (button) {
    if (button.getAttribute("data-copy").indexOf(placeholder) >= 0) places.push({ button: button, text: button.getAttribute("data-copy") });
  });
  var field = box.querySelector("input");
  box.hidden = places.length === 0;
  function fill() {
    // What is typed ends up in a shell: anything but a key would be a trap.
    var key = /^flk_[0-9A-Za-z]{1,80}$/.test(field.value.trim()) ? field.value.trim() : placeholder;
    places.forEach(function (place) {
      var text = place.text.split(placeholder).join(key);
      if (place.button) place.button.setAttribute("data-copy", text);
      else place.node.textContent = text;
    });
  }
  field.addEventListener("input", fill);
  // A page that is shown again from the browser's memory must not show the key.
  window.addEventListener("pagehide", function () { field.value = ""; fill(); });
})();
