// The query console: sends what is in the form to /graphql and shows the response. The key is read from its field when
// a request is sent, and forgotten with the page.
(function () {
  "use strict";
  var form = document.querySelector("form[data-console]");
  if (!form) return;
  var query = form.querySelector("[name=query]");
  var variables = form.querySelector("[name=variables]");
  var wrong = document.getElementById("variables-wrong");
  var key = form.querySelector("[name=key]");
  var run = form.querySelector("[data-run]");
  var status = document.getElementById("answer-status");
  var answer = document.getElementById("answer");
  form.hidden = false;

  document.addEventListener("click", function (event) {
    var example = event.target.closest("[data-query]");
    if (!example) return;
    query.value = example.getAttribute("data-query");
    variables.value = example.getAttribute("data-variables");
    complain("");
    query.dispatchEvent(new Event("editor:changed"));
    query.focus();
    query.setSelectionRange(0, 0);
    query.scrollTop = 0;
  });

  form.addEventListener("keydown", function (event) {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      form.requestSubmit();
    }
  });

  form.addEventListener("submit", function (event) {
    event.preventDefault();
    var body = request();
    if (body !== "" && !run.disabled) send(body);
  });

  // A page that is shown again from the browser's memory must not show the key.
  window.addEventListener("pagehide", function () { key.value = ""; });

  function complain(text) {
    wrong.textContent = text;
    wrong.hidden = text === "";
    variables.setAttribute("aria-invalid", text === "" ? "false" : "true");
    if (text !== "") variables.focus();
  }

  // request is the body to send, or empty if the variables are no object. The variables are sent as they were
  // written, for numbers would lose digits on the way through JavaScript.
  function request() {
    var text = variables.value.trim() || "{}";
    var given;
    try { given = JSON.parse(text); } catch (_) { given = null; }
    if (given === null || typeof given !== "object" || Array.isArray(given)) {
      complain("The variables must be a JSON object such as {\"txnid\": \"…\"}.");
      return "";
    }
    complain("");
    if (key.value.trim() !== "" && !("apiKey" in given) && /\$apiKey\b/.test(query.value)) {
      text = "{\"apiKey\":" + JSON.stringify(key.value.trim()) + (Object.keys(given).length ? "," : "") + text.slice(1);
    }
    var name = form.querySelector("[name=operation]").value.trim();
    return "{\"query\":" + JSON.stringify(query.value) + (name ? ",\"operationName\":" + JSON.stringify(name) : "") + ",\"variables\":" + text + "}";
  }

  function send(body) {
    var headers = { "Content-Type": "application/json", "Accept": "application/json" };
    if (/^[\x21-\x7e]+$/.test(key.value.trim())) headers.Authorization = "Bearer " + key.value.trim();
    var began = performance.now();
    run.disabled = true;
    say("Waiting for the answer.", "");
    fetch("/graphql", { method: "POST", headers: headers, body: body, credentials: "omit", cache: "no-store" }).then(function (response) {
      return response.text().then(function (text) {
        say("HTTP " + response.status + " · " + Math.round(performance.now() - began) + " ms", pretty(text));
      });
    }).catch(function () {
      say("No answer came. Is the server running, and are you online? A mutation may have happened all the same.", "");
    }).then(function () { run.disabled = false; });
  }

  function say(line, text) {
    status.textContent = line;
    answer.textContent = text;
  }

  // pretty indents JSON without reading its numbers, so that amounts keep their digits.
  function pretty(text) {
    var out = "";
    var depth = 0;
    var tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+/g) || [];
    function line() { return "\n" + "  ".repeat(Math.max(depth, 0)); }
    tokens.forEach(function (token, i) {
      if (token === "{" || token === "[") {
        depth += 1;
        out += token + (/[}\]]/.test(tokens[i + 1] || "") ? "" : line());
      } else if (token === "}" || token === "]") {
        depth -= 1;
        out += (/[{\[]/.test(tokens[i - 1] || "") && tokens[i - 1].length === 1 ? "" : line()) + token;
      } else if (token === ",") {
        out += token + line();
      } else {
        out += token === ":" ? ": " : token;
      }
    });
    return out;
  }
})();
