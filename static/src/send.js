// The merchant's own wallet sends refunds: all of a network at once where it can (EIP-5792), else one after the other. The
// server counts only what it finds on the chain; the hashes that are sent to it make that sooner.
(function () {
  "use strict";
  var providers = [];

  function forms() { return document.querySelectorAll("[data-send]"); }

  function add(provider) {
    if (providers.indexOf(provider) < 0) providers.push(provider);
    forms().forEach(function (form) { form.hidden = false; });
  }

  function word(hex) { return hex.replace(/^0x/, "").toLowerCase().padStart(64, "0"); }

  // ERC-20 transfer(address,uint256).
  function data(call) { return "0xa9059cbb" + word(call.to) + word(BigInt(call.units).toString(16)); }

  function has(error, codes) {
    return !!error && (codes.indexOf(error.code) >= 0 || has(error.data && error.data.originalError || error.cause, codes));
  }

  function post(path, fields) {
    return fetch(path, { method: "POST", body: new URLSearchParams(fields || {}) });
  }

  // The wallet has taken the calls: whatever it answers from here on, they must not be sent a second time.
  async function receiptsOf(wallet, id) {
    for (var began = Date.now(); Date.now() - began < 600000;) {
      try {
        var answer = await wallet.request({ method: "wallet_getCallsStatus", params: [id] });
      } catch (error) { return []; }
      if (answer.status >= 200) return answer.receipts || [];
      await new Promise(function (resolve) { setTimeout(resolve, 1500); });
    }
    return [];
  }

  async function together(wallet, from, chain, calls) {
    var sent = await wallet.request({ method: "wallet_sendCalls", params: [{
      version: "2.0.0", chainId: chain, from: from, atomicRequired: false,
      calls: calls.map(function (call) { return { to: call.contract, value: "0x0", data: data(call) }; })
    }] });
    var receipts = await receiptsOf(wallet, sent.id || sent);
    return calls.map(function (call, i) { return (receipts[i] || receipts[0] || {}).transactionHash; });
  }

  function one(wallet, from, chain, call) {
    return wallet.request({ method: "eth_sendTransaction", params: [{ from: from, to: call.contract, value: "0x0", data: data(call), chainId: chain }] });
  }

  async function send(form) {
    var wallet = providers[0], chain = form.dataset.send;
    var say = function (text) { form.querySelector("[data-say]").textContent = text; };
    say("Open your wallet.");
    var from = (await wallet.request({ method: "eth_requestAccounts" }))[0];
    if (BigInt(await wallet.request({ method: "eth_chainId" })) !== BigInt(chain)) {
      await wallet.request({ method: "wallet_switchEthereumChain", params: [{ chainId: chain }] });
    }
    var answer = await post(form.action);
    if (!answer.ok) throw new Error("asked");
    var calls = await answer.json();
    if (!calls.length) return location.reload();
    say("Confirm in your wallet.");
    var named = async function (call, hash) { if (hash) await post(call.path + "hash", { hash: hash }); };
    var unsent = async function (list) { for (var call of list) await post(call.path + "unsend"); };
    try {
      var hashes = await together(wallet, from, chain, calls);
      for (var i = 0; i < calls.length; i++) await named(calls[i], hashes[i]);
      return location.reload();
    } catch (error) {
      if (has(error, [4001])) {
        await unsent(calls);
        return say("You declined in your wallet, so nothing was sent.");
      }
      if (!has(error, [-32601, -32602, 4200, 5700, 5710, 5750])) throw error;
    }
    for (var n = 0; n < calls.length; n++) {
      try {
        await named(calls[n], await one(wallet, from, chain, calls[n]));
      } catch (error) {
        if (!has(error, [4001])) throw error;
        await unsent(calls.slice(n));
        return location.reload();
      }
    }
    location.reload();
  }

  forms().forEach(function (form) {
    form.addEventListener("submit", function (event) {
      event.preventDefault();
      var button = form.querySelector("button");
      if (button.disabled) return;
      button.disabled = true;
      send(form).catch(function () {
        form.querySelector("[data-say]").textContent = "Your wallet reports a problem. Look there whether it was sent; if it was not, say so below and try again.";
      }).then(function () { button.disabled = false; });
    });
  });

  window.addEventListener("eip6963:announceProvider", function (event) {
    if (event.detail && event.detail.provider) add(event.detail.provider);
  });
  window.dispatchEvent(new Event("eip6963:requestProvider"));
  setTimeout(function () { if (!providers.length && window.ethereum) add(window.ethereum); }, 1000);
})();
