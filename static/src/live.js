// A page that is left ends its streams. The browser may keep the page for "back", and its streams open with it for a
// minute; over HTTP/1.1 it opens six connections to a server at most, and the seventh page would wait that long.
(function () {
  "use strict";
  var streams = [];
  htmx.createEventSource = function (url) {
    var stream = new EventSource(url, { withCredentials: true });
    streams = streams.filter(function (old) { return old.readyState !== EventSource.CLOSED; }).concat(stream);
    return stream;
  };
  window.addEventListener("pagehide", function () {
    streams.forEach(function (stream) { stream.close(); });
  });
  // A page that was kept shows a step of the past.
  window.addEventListener("pageshow", function (event) {
    if (event.persisted && streams.length > 0) location.reload();
  });
})();
