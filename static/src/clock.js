// Times in the reader's own clock, the countdown, and what a swapped step needs: the page title, the
// spoken line, focus, and the tabs that were open.
(function () {
  "use strict";
  var locale = document.documentElement.lang + "-u-nu-latn";
  var title = document.title;
  var spoken;
  var kept = {};
  var typed = {};
  var clocks = [];
  var ticked = 0;

  function localTimes() {
    var format = new Intl.DateTimeFormat(locale, { year: "numeric", month: "short", day: "numeric", hour: "numeric", minute: "2-digit", timeZoneName: "short" });
    var days = new Intl.DateTimeFormat(locale, { year: "numeric", month: "short", day: "numeric" });
    document.querySelectorAll("time[data-local]").forEach(function (time) {
      var date = new Date(time.dateTime);
      if (!isNaN(date)) { time.textContent = (time.getAttribute("data-local") === "date" ? days : format).format(date); time.removeAttribute("data-local"); }
    });
  }

  // The server says how many seconds are left: the payer's clock may be wrong by hours.
  function readClocks() {
    clocks = Array.from(document.querySelectorAll("[data-left]"), function (element) {
      return { element: element, ends: Date.now() + 1000 * element.getAttribute("data-left"), over: element.getAttribute("data-left") === "0", quiet: +element.getAttribute("data-quiet") };
    });
  }

  function two(n) { return (n < 10 ? "0" : "") + n; }

  function minutes(n) {
    return new Intl.NumberFormat(locale, { style: "unit", unit: "minute", unitDisplay: "long" }).format(n);
  }

  function tick() {
    var back = Math.max(0, ticked - Date.now()); // the device's clock was set back
    ticked = Date.now();
    clocks.forEach(function (clock) {
      clock.ends -= back;
      var left = Math.max(0, Math.round((clock.ends - Date.now()) / 1000));
      var urgent = left <= clock.quiet;
      var text = urgent ? two(Math.floor(left / 60)) + ":" + two(left % 60) : minutes(Math.ceil(left / 60));
      if (clock.element.textContent !== text) clock.element.textContent = text;
      clock.element.classList.toggle("urgent", urgent);
      if (left === clock.quiet || left === 60) florinSay(clock.element.parentNode.textContent.trim());
      if (left > 0 || clock.over) return;
      clock.over = true;
      document.dispatchEvent(new Event("florin:due"));
    });
    hideAddress();
  }

  // Money that is sent after the end comes too late: the address goes until the server has said how it stands.
  function hideAddress() {
    var card = document.querySelector(".send");
    var over = clocks.some(function (clock) { return clock.over; });
    if (!card || card.classList.contains("over") === over) return;
    card.classList.toggle("over", over);
    if (over) florinSay(card.querySelector(".up").textContent);
  }

  function announce() {
    var news = document.querySelector("#status [data-say]") || document.querySelector("#stage [data-say]");
    var text = news ? news.textContent : "";
    if (text === spoken) return;
    if (text && spoken !== undefined) { florinSay(text); document.title = text + " · " + title; }
    spoken = text;
  }

  // A new step begins where the payer looks, however far the last one was scrolled.
  function bring() {
    var stage = document.getElementById("stage");
    if (stage.getBoundingClientRect().top < 0) stage.scrollIntoView();
  }

  function afterSwap(focusLost, step) {
    if (step) bring();
    readClocks();
    tick();
    announce();
    restore();
    retype();
    var heading = document.querySelector("#stage h2[tabindex]");
    if (focusLost && heading && document.activeElement === document.body) heading.focus();
    document.dispatchEvent(new Event("florin:stage"));
  }

  function restore() {
    Object.keys(kept).forEach(function (name) {
      var chosen = document.getElementById(kept[name]);
      if (chosen) chosen.checked = true;
    });
  }

  // A field of the new step holds what was typed into the same field of the last one, with the caret where it was.
  function retype() {
    Object.keys(typed).forEach(function (id) {
      var old = typed[id], field = document.getElementById(id);
      if (!field || field === old) return;
      field.value = old.value;
      if (document.activeElement === field) field.setSelectionRange(old.selectionStart, old.selectionEnd);
    });
    keepFields();
  }

  function keepFields() {
    document.querySelectorAll("#stage input.text").forEach(function (field) { typed[field.id] = field; });
  }

  document.addEventListener("change", function (event) {
    if (event.target.className === "via") kept[event.target.name] = event.target.id;
    // On a phone the code opens below the edge.
    if (event.target.id === "showqr") document.querySelector(".qr").scrollIntoView({ block: "nearest" });
  });

  localTimes();
  new MutationObserver(localTimes).observe(document.body, { childList: true, subtree: true });
  readClocks();
  keepFields();
  announce();
  tick();
  setInterval(tick, 1000);

  var stage = document.getElementById("stage");
  if (stage) {
    var inside = false;
    document.addEventListener("focusin", function (event) { inside = stage.contains(event.target); });
    new MutationObserver(function (changes) {
      // Our own changes of a clock or a button are no updates.
      var step = changes.some(function (change) { return change.target === stage; });
      if (step || changes.some(function (change) { return change.target.id === "status"; })) afterSwap(inside, step);
    }).observe(stage, { childList: true, subtree: true });
  }
})();
