// What scripts add to the dashboard: Ctrl-K or ⌘K opens the search dialog, and the preview follows the form.
(function () {
  "use strict";
  var finder = document.getElementById("finder");
  var asked = document.getElementById("finder-q");

  // Without a dialog, the search form of the navigation finds the same.
  function openFinder() {
    var menu = document.getElementById("menu");
    var find = document.querySelector("[data-find]");
    if (finder && finder.showModal) {
      if (!finder.open) finder.showModal();
      asked.focus();
      asked.select();
    } else if (find) {
      if (menu) menu.checked = true;
      find.focus();
      find.select();
    }
  }

  // The time zone of a new shop is that of the browser, and a form that asks for one suggests it.
  var zone = Intl.DateTimeFormat().resolvedOptions().timeZone || "";
  document.querySelectorAll("[data-zone]").forEach(function (input) { input.value = zone; });
  document.querySelectorAll("input[name=zone]:not([type=hidden])").forEach(function (input) {
    if (zone) input.placeholder = zone;
  });

  document.addEventListener("keydown", function (event) {
    if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k") {
      event.preventDefault();
      openFinder();
    }
  });

  if (finder && finder.showModal) {
    // Arrows move through the results; Enter in the field opens the first.
    finder.addEventListener("keydown", function (event) {
      var links = Array.from(finder.querySelectorAll(".quick a"));
      var at = links.indexOf(document.activeElement);
      if (event.key === "ArrowDown" && links.length) {
        event.preventDefault();
        links[Math.min(at + 1, links.length - 1)].focus();
      } else if (event.key === "ArrowUp" && at >= 0) {
        event.preventDefault();
        (links[at - 1] || asked).focus();
      } else if (event.key === "Escape") {
        event.preventDefault(); // otherwise the search field would only be cleared
        finder.close();
      }
    });
    asked.form.addEventListener("submit", function (event) {
      var first = finder.querySelector(".quick a");
      if (first && finder.getAttribute("data-found") === asked.value.trim()) {
        event.preventDefault();
        location.assign(first.href);
      }
    });
    finder.addEventListener("htmx:afterSettle", function (event) {
      var path = event.detail.pathInfo && event.detail.pathInfo.finalRequestPath;
      if (path) finder.setAttribute("data-found", new URL(path, location.href).searchParams.get("q").trim());
    });
    // A click beside the dialog closes it.
    finder.addEventListener("click", function (event) { if (event.target === finder) finder.close(); });
  }

  // An update waits while somebody types into what it would replace, or reads what was opened there.
  var held = new Map();

  function busy(part) {
    return part.querySelector("details[open], [data-busy]") || Array.from(part.querySelectorAll("input, textarea")).some(function (field) {
      return field === document.activeElement || field.value !== field.defaultValue || field.checked !== field.defaultChecked;
    });
  }

  function release() {
    held.forEach(function (html, part) {
      if (busy(part)) return;
      held.delete(part);
      part.innerHTML = html;
    });
  }

  document.addEventListener("florin:part", function (event) {
    held.delete(event.target);
    if (!busy(event.target)) return;
    held.set(event.target, event.detail);
    event.preventDefault();
  });
  // A click has come to its button by then.
  ["focusout", "toggle"].forEach(function (name) {
    document.addEventListener(name, function () { setTimeout(release, 500); }, true);
  });

  // One box ticks all of its list.
  document.addEventListener("change", function (event) {
    var all = event.target.closest("[data-tick-all]");
    if (!all) return;
    document.querySelectorAll("input[type=checkbox][form=" + all.getAttribute("data-tick-all") + "]").forEach(function (box) {
      box.checked = all.checked;
    });
  });

  var looks = document.querySelector("form[data-preview]");
  var wait = 0;
  if (looks) {
    // Each picker and its text follow one another.
    document.querySelectorAll("[data-colour-of]").forEach(function (picker) {
      var text = document.getElementById(picker.getAttribute("data-colour-of"));
      picker.hidden = false;
      picker.addEventListener("input", function () {
        text.value = picker.value;
        text.dispatchEvent(new Event("input", { bubbles: true }));
      });
      text.addEventListener("input", function () {
        if (/^#[0-9a-f]{6}$/i.test(text.value)) picker.value = text.value.toLowerCase();
      });
    });
    // The choice of the step stands outside the form and belongs to it.
    document.addEventListener("input", function (event) {
      if (event.target.form !== looks) return;
      clearTimeout(wait);
      wait = setTimeout(function () { looks.requestSubmit(looks.querySelector("[data-preview-button]")); }, 400);
    });
  }
})();
