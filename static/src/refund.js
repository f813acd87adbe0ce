// A refund: the wallet that paid signs for its address. The server compares it with the wallets that money came from.
(function () {
  "use strict";
  // A page that waits for the merchant is loaded again once it would say something else.
  var page = document.querySelector("[data-again]");
  if (page) setInterval(async function () {
    try {
      var here = location.pathname + location.search;
      var answer = await fetch(here);
      var same = 'data-state="' + page.dataset.state + '"';
      if (answer.ok && (await answer.text()).indexOf(same) < 0) location.replace(here);
    } catch (error) { /* the next look may succeed */ }
  }, page.dataset.again * 1000);
  var form = document.querySelector("[data-refund]");
  if (!form) return;
  var solana = form.hasAttribute("data-solana");
  var wallets = [];
  var asked = false;

  function hex(bytes) { return "0x" + Array.from(bytes, function (b) { return b.toString(16).padStart(2, "0"); }).join(""); }

  function add(sign) {
    wallets.push(sign);
    form.hidden = false;
  }

  form.addEventListener("submit", async function (event) {
    event.preventDefault();
    if (asked) return;
    asked = true;
    var say = form.querySelector("[data-say]");
    say.textContent = "";
    setTimeout(function () { asked = false; }, 10000); // a wallet may never answer
    try {
      var signed = await wallets[0](form.dataset.message);
      form.elements.account.value = signed.account;
      form.elements.signature.value = signed.signature;
      form.submit();
    } catch (error) {
      asked = false;
      say.textContent = form.dataset.failed;
    }
  });

  if (!solana) {
    var evm = function (provider) {
      return async function (message) {
        var accounts = await provider.request({ method: "eth_requestAccounts" });
        var text = hex(new TextEncoder().encode(message));
        return { account: accounts[0], signature: await provider.request({ method: "personal_sign", params: [text, accounts[0]] }) };
      };
    };
    window.addEventListener("eip6963:announceProvider", function (event) {
      if (event.detail && event.detail.provider) add(evm(event.detail.provider));
    });
    window.dispatchEvent(new Event("eip6963:requestProvider"));
    setTimeout(function () { if (!wallets.length && window.ethereum) add(evm(window.ethereum)); }, 1000);
    return;
  }

  function register() {
    Array.prototype.forEach.call(arguments, function (w) {
      if (!w || !w.features || !w.features["standard:connect"] || !w.features["solana:signMessage"]) return;
      add(async function (message) {
        var account = (await w.features["standard:connect"].connect()).accounts[0];
        var signed = await w.features["solana:signMessage"].signMessage({ account: account, message: new TextEncoder().encode(message) });
        return { account: account.address, signature: hex([].concat(signed)[0].signature) };
      });
    });
    return function () {};
  }

  var api = Object.freeze({ register: register });
  window.addEventListener("wallet-standard:register-wallet", function (event) { event.detail(api); });
  window.dispatchEvent(new CustomEvent("wallet-standard:app-ready", { detail: api }));
})();
