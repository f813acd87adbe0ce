// Keeps an open page true. Changes come on a stream of events; but a stream may be refused, held back, or dead without a
// sign of it, so a page that has heard nothing asks, and so does one that comes back to its reader. The answer is what
// the stream would have sent. While this script works, the page need not reload itself, as it does without.
(function () {
  "use strict";
  var SILENCE = 12000; // the server says something every 10 s
  var AGAIN = 13000; // a page without a stream asks so often: what it shows is less than 15 s old
  var RETRY = 1000; // the first wait after a request failed; each further one is twice as long
  var HEDGE = 1000; // a connection that died in its sleep does not answer: after so long another one is tried
  var GIVE_UP = 8000;
  var REST = 300000; // a page that nobody has looked at for so long asks once a minute
  var home = document.querySelector("[sse-connect]");
  if (!home || !window.EventSource || !window.fetch || !window.AbortController) return;

  var address = home.getAttribute("sse-connect");
  var tag = new URL(address, location.href).searchParams.get("shown") || "";
  var stream = null, reopen = 0, pause = 4000, breaks = 0;
  var request = null, failed = 0, due = Date.now() + SILENCE;
  var ticked = Date.now(), hidden = 0, leaving = false;
  var pressed = 0, waiting = {};

  function with_(path, name, value) {
    var url = new URL(path, location.href);
    url.searchParams.set(name, value);
    return url.pathname + url.search;
  }

  function offline(yes) {
    var line = document.getElementById("offline");
    if (line) line.hidden = !yes;
  }

  // The server was heard; it is asked if it says nothing for so long.
  function heard(wait) {
    failed = 0;
    due = Date.now() + (document.hidden && Date.now() - hidden > REST ? 60000 : wait);
    offline(false);
  }

  // What is replaced between press and release gets no click: an update waits until that has come, also on a touch
  // screen, where it comes after the release.
  function hold(wait) {
    clearTimeout(pressed);
    pressed = setTimeout(function () {
      var parts = waiting;
      pressed = 0;
      waiting = {};
      Object.keys(parts).forEach(function (name) { swap(name, parts[name]); });
    }, wait);
  }

  function swap(name, html) {
    if (pressed) {
      waiting[name] = html;
      return;
    }
    document.querySelectorAll("[sse-swap=" + name + "]").forEach(function (part) {
      if (!part.dispatchEvent(new CustomEvent("florin:part", { bubbles: true, cancelable: true, detail: html }))) return;
      // A stream begins with all that there is; what is shown already stays, with the click that may be on its way.
      var fresh = part.cloneNode(false);
      fresh.innerHTML = html;
      if (fresh.innerHTML === part.innerHTML) return;
      var focus = part.contains(document.activeElement) && document.activeElement.id;
      part.innerHTML = html;
      var again = focus && document.getElementById(focus);
      if (again) again.focus({ preventScroll: true });
    });
    listen();
  }

  function close() {
    if (stream) stream.close();
    stream = null;
  }

  // A stream that fails or says nothing is closed, and opened again later and later.
  function drop() {
    close();
    reopen = Date.now() + pause * (1 + Math.random());
    pause = Math.min(pause * 2, 60000);
  }

  function listen() {
    if (!stream) return;
    document.querySelectorAll("[sse-swap]").forEach(function (part) {
      var name = part.getAttribute("sse-swap");
      if (stream.names[name]) return;
      stream.names[name] = true;
      on(name, function (event) {
        cancel(); // its answer is older than this
        swap(name, event.data);
      });
    });
  }

  function on(name, act) {
    var from = stream;
    from.addEventListener(name, function (event) {
      if (from !== stream) return;
      pause = 4000;
      breaks = 0;
      heard(SILENCE);
      if (event.lastEventId) tag = event.lastEventId;
      act(event);
    });
  }

  function open() {
    if (stream || document.hidden) return;
    stream = new EventSource(tag ? with_(address, "shown", tag) : address, { withCredentials: true });
    stream.names = {};
    on("beat", function () {});
    listen();
    stream.onerror = function () {
      if (this !== stream) return;
      // The pages of a server that stops do not ask all at once.
      if (!breaks++) due = Math.min(due, Date.now() + 500 + 2000 * Math.random());
      if (stream.readyState === EventSource.CLOSED || breaks > 2) drop();
    };
  }

  function cancel() {
    if (!request) return;
    request.stop.abort();
    clearInterval(request.timer);
    request = null;
  }

  function fail() {
    cancel();
    offline(true);
    due = Date.now() + Math.min(RETRY * Math.pow(2, failed++), SILENCE);
  }

  function take(answer) {
    if (answer) {
      tag = answer.tag;
      Object.keys(answer.parts).forEach(function (name) { swap(name, answer.parts[name]); });
      close(); // what the stream did not say, it does not know
    }
    if (Date.now() >= reopen) open();
  }

  // Asks what has changed; anew: as if nothing had been shown yet.
  function ask(anew) {
    cancel();
    var mine = request = { stop: new AbortController(), began: Date.now(), sent: 0 };
    var headers = { Accept: "application/json" };
    if (tag && !anew) headers["If-None-Match"] = '"' + tag + '"';
    function send() {
      if (Date.now() - mine.began > GIVE_UP) return fail();
      if (++mine.sent > 3) return;
      fetch(address.replace(/\/live(?=\?|$)/, "/now"), { headers: headers, cache: "no-store", credentials: "same-origin", signal: mine.stop.signal }).then(function (answer) {
        if (answer.status === 304) return null;
        if (!answer.ok) throw answer.status;
        return answer.json();
      }).then(function (answer) {
        if (mine !== request) return;
        cancel();
        heard(AGAIN);
        take(answer);
      }).catch(function () { if (mine === request) fail(); });
    }
    mine.timer = setInterval(send, HEDGE);
    send();
  }

  // Somebody looks at the page again, or the device is awake: what it shows may be old.
  function wake() {
    if (request && Date.now() - request.began < HEDGE) return;
    failed = 0;
    ask();
  }

  function watch() {
    var now = Date.now();
    // The device slept, or its clock was set: what was to come at a time of the old clock comes now.
    if (now - ticked > 5000 || now < ticked) {
      reopen = 0;
      cancel();
      wake();
    }
    ticked = now;
    if (now >= due && !request) {
      if (stream) drop();
      ask();
    }
    if (!stream && now >= reopen) open();
  }

  // A tab in the background has no stream: over HTTP/1.1 a browser opens six connections to a server, and the seventh tab
  // would hang.
  document.addEventListener("visibilitychange", function () {
    if (document.hidden) {
      hidden = Date.now();
      close();
    } else {
      reopen = 0;
      wake();
    }
  });
  document.addEventListener("pointerdown", function () { hold(2000); }, true);
  ["pointerup", "pointercancel"].forEach(function (name) {
    document.addEventListener(name, function () { hold(300); }, true);
  });
  window.addEventListener("focus", wake);
  window.addEventListener("online", wake);
  window.addEventListener("pageshow", function (event) { leaving = false; if (event.persisted) wake(); });
  window.addEventListener("pagehide", close);
  window.addEventListener("beforeunload", function () { leaving = true; });
  document.addEventListener("florin:due", function () { ask(true); });

  // The page reloads itself a few seconds after it was loaded unless that is stopped; without its element, too. That
  // stops whatever is being loaded, too, so it waits for the page, and the icon and what was asked are loaded again.
  function begin() {
    var reload = document.querySelector("meta[http-equiv=refresh]");
    if (reload && !leaving) {
      var asked = request;
      cancel();
      reload.remove();
      window.stop();
      if (asked) ask();
      var icon = document.querySelector("link[rel=icon]");
      if (icon) icon.replaceWith(icon.cloneNode());
    }
    open();
    setInterval(watch, 1000);
  }
  if (document.readyState === "complete") begin();
  else window.addEventListener("load", begin);
})();
