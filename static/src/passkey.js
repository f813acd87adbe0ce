// Passkeys (Web Authentication): passes the server's options to the browser, and sends its response in the form.
(function () {
  "use strict";
  if (!window.PublicKeyCredential || !navigator.credentials || !window.fetch) return;

  // Options and responses hold bytes, which travel as base64url.
  function bytes(text) {
    return Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), function (c) { return c.charCodeAt(0); });
  }
  function text(buffer) {
    var plain = "";
    new Uint8Array(buffer).forEach(function (b) { plain += String.fromCharCode(b); });
    return btoa(plain).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  }
  function withBytes(list) {
    return (list || []).map(function (c) { return Object.assign({}, c, { id: bytes(c.id) }); });
  }
  function written(credential, response) {
    return JSON.stringify({
      id: credential.id, rawId: text(credential.rawId), type: credential.type, clientExtensionResults: {}, response: response,
    });
  }

  function get(question) {
    question.challenge = bytes(question.challenge);
    question.allowCredentials = withBytes(question.allowCredentials);
    return navigator.credentials.get({ publicKey: question }).then(function (c) {
      return written(c, {
        clientDataJSON: text(c.response.clientDataJSON), authenticatorData: text(c.response.authenticatorData),
        signature: text(c.response.signature), userHandle: c.response.userHandle ? text(c.response.userHandle) : undefined,
      });
    });
  }

  function make(question) {
    question.challenge = bytes(question.challenge);
    question.user.id = bytes(question.user.id);
    question.excludeCredentials = withBytes(question.excludeCredentials);
    return navigator.credentials.create({ publicKey: question }).then(function (c) {
      return written(c, {
        clientDataJSON: text(c.response.clientDataJSON), attestationObject: text(c.response.attestationObject),
        transports: c.response.getTransports ? c.response.getTransports() : [],
      });
    });
  }

  // ask requests the options. If the session has ended, the page itself leads to sign-in.
  function ask(form, address) {
    return fetch(address, {
      method: "POST", body: new URLSearchParams(new FormData(form)), headers: { Accept: "application/json" }, redirect: "manual",
    }).then(function (answer) {
      if (answer.type === "opaqueredirect") {
        location.reload();
        return new Promise(function () {});
      }
      return answer.json().then(function (said) {
        if (!answer.ok) throw { problem: said.problem };
        return said.publicKey;
      });
    });
  }

  var failures = {
    notallowederror: "No passkey was used. Try again, or use your password.",
    invalidstateerror: "This device holds a passkey of your account already.",
    securityerror: "Passkeys do not work at this address.",
    other: "That did not work. Try again, or use your password."
  };
  // The page says it in its language: in attributes of where it is shown, such as data-notallowederror.
  function reason(problem, failure) {
    var name = String(failure && failure.name).toLowerCase();
    if (!failures[name]) name = "other";
    return failure && failure.problem || problem.getAttribute("data-" + name) || failures[name];
  }

  function wire(place) {
    // A form that makes a passkey may also hold a passkey button for re-authentication, so its own is found first.
    var button = place.querySelector("[data-passkey=make]") || place.querySelector("[data-passkey]");
    var form = button.form;
    var problem = place.querySelector(":scope > .problem");

    function run(done) {
      button.disabled = true;
      problem.textContent = "";
      done().catch(function (failure) {
        problem.textContent = reason(problem, failure);
        button.disabled = false;
        // A passkey response is valid once.
        if (form.elements.passkey) form.elements.passkey.value = "";
      });
    }
    function makeAndSend() {
      return ask(form, form.querySelector("[data-passkey=make]").getAttribute("data-passkey-ask")).then(make).then(function (answer) {
        form.elements.made.value = answer;
        form.submit();
      });
    }
    function confirmAndSend() {
      return ask(form, button.getAttribute("data-passkey-ask")).then(get).then(function (answer) {
        form.elements.passkey.value = answer;
        if (form.elements.made) return makeAndSend();
        form.submit();
      });
    }

    if (button.getAttribute("data-passkey") === "make") {
      form.addEventListener("submit", function (event) {
        event.preventDefault();
        run(makeAndSend);
      });
    } else {
      button.addEventListener("click", function () { run(confirmAndSend); });
    }
    place.hidden = false;
  }

  document.querySelectorAll("[data-passkey-at]").forEach(function (place) {
    if (new URL(place.getAttribute("data-passkey-at")).origin === location.origin) {
      wire(place);
      document.querySelectorAll("[data-passkey-none]").forEach(function (none) { none.hidden = true; });
    }
  });
})();
