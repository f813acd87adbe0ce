// The way to pay that was chosen last in this browser comes first. It is kept in the browser and is not sent to the server.
(function () {
  "use strict";
  var key = "florin-way";

  function last() {
    try { return JSON.parse(localStorage.getItem(key)) || {}; } catch (error) { return {}; }
  }

  document.addEventListener("submit", function (event) {
    if (!event.submitter || event.submitter.name !== "network") return;
    var form = new FormData(event.target);
    try {
      localStorage.setItem(key, JSON.stringify({ network: event.submitter.value, token: form.get("token"), via: form.get("via") }));
    } catch (error) { /* a browser that keeps nothing */ }
  });

  function check(name, value) {
    var radio = Array.from(document.querySelectorAll("input.via[name=" + name + "]")).find(function (r) { return r.value === value; });
    if (!radio || radio.checked) return;
    radio.checked = true;
    radio.dispatchEvent(new Event("change", { bubbles: true }));
  }

  // The server marks what was used for this payment before; then it has sorted the ways, too.
  function sort() {
    var head = document.querySelector("[data-last]");
    if (!head) return;
    Array.from(document.querySelectorAll("button.way")).forEach(function (way) {
      if (way.value !== last().network) return;
      var row = way.closest("li"), list = row.parentNode, tag = list.querySelector(".tag");
      if (tag) tag.remove();
      tag = document.createElement("span");
      tag.className = "tag";
      tag.textContent = head.getAttribute("data-last");
      way.querySelector("b").after(" ", tag);
      list.prepend(row);
    });
  }

  if (document.querySelector("[data-last]")) {
    if (!/[?&]via=/.test(location.search)) check("via", last().via);
    check("token", last().token);
    sort();
  }
  document.addEventListener("florin:stage", sort);
})();
