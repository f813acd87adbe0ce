// The button of a form rests while its form is on its way: a second click sends nothing. It comes back with the page, also
// from the browser's cache of pages, and where no answer comes. Without scripts the number of the form makes two clicks one.
(function () {
  "use strict";
  // As long as the server lets a second click wait for the answer of the first.
  var REST = 10000;

  function rests(form, on) {
    clearTimeout(form.resting);
    form.resting = on ? setTimeout(rests, REST, form, false) : 0;
    form.classList.toggle("resting", on);
    Array.from(form.elements).forEach(function (e) {
      if (e.type === "submit") e[on ? "setAttribute" : "removeAttribute"]("aria-disabled", "true");
    });
  }

  document.addEventListener("submit", function (event) {
    var form = event.target, by = event.submitter;
    if (event.defaultPrevented || form.method !== "post") return;
    if (by && (by.formMethod === "get" || by.formTarget) || form.target) return;
    if (form.resting) event.preventDefault();
    else rests(form, true);
  });
  window.addEventListener("pageshow", function () {
    document.querySelectorAll("form.resting").forEach(function (form) { rests(form, false); });
  });
})();
