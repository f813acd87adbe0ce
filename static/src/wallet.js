// Paying with a wallet in the browser: discovery by EIP-6963, requests by EIP-1193. The hash a wallet
// returns is only a hint for the server, which credits nothing but what it reads from the chain.
(function () {
  "use strict";
  var found = new Map();
  var busy = false;
  var sent = false;

  function box() { return document.getElementById("wallets"); }

  function say(text) {
    var line = box() && box().querySelector("[data-wallet-say]");
    if (line) line.textContent = text;
  }

  // Some wallets put the code into the error, some into the error inside of it.
  function hasCode(error, code) {
    var inner = error && error.data && (error.data.originalError || error.data.cause || error.data);
    return !!error && (error.code === code || (!!inner && inner.code === code));
  }

  function word(hex) { return hex.replace(/^0x/, "").toLowerCase().padStart(64, "0"); }

  // ERC-20 transfer(address,uint256).
  function transferData(to, units) { return "0xa9059cbb" + word(to) + word(BigInt(units).toString(16)); }

  function ask(provider, method, params) { return provider.request(params ? { method: method, params: params } : { method: method }); }

  function addChain(provider, d) {
    var chain = { chainId: d.chain, chainName: d.name, rpcUrls: [d.rpc], nativeCurrency: { name: d.coin, symbol: d.coin, decimals: 18 } };
    if (d.explorer) chain.blockExplorerUrls = [d.explorer];
    return ask(provider, "wallet_addEthereumChain", [chain]);
  }

  async function onChain(provider, d) {
    if (BigInt(await ask(provider, "eth_chainId")) === BigInt(d.chain)) return;
    say(d.switch);
    var target = [{ chainId: d.chain }];
    try {
      await ask(provider, "wallet_switchEthereumChain", target);
    } catch (error) {
      if (!hasCode(error, 4902)) throw error;
      if (!d.rpc) throw { unknown: true };
      await addChain(provider, d);
      // Adding a network does not select it (EIP-3085).
      await ask(provider, "wallet_switchEthereumChain", target);
    }
    if (BigInt(await ask(provider, "eth_chainId")) !== BigInt(d.chain)) throw { unknown: true };
  }

  async function pay(provider, d) {
    say(d.connect);
    var accounts = await ask(provider, "eth_requestAccounts");
    await onChain(provider, d);
    say(d.confirm);
    return ask(provider, "eth_sendTransaction", [{ from: accounts[0], to: d.contract, value: "0x0", data: transferData(d.to, d.units) }]);
  }

  function hint(d, hash) {
    fetch(d.hint, { method: "POST", body: new URLSearchParams({ hash: hash }), keepalive: true }).catch(function () {});
  }

  function reason(error, d) {
    if (hasCode(error, 4001)) return d.refused;
    if (hasCode(error, -32002)) return d.connect;
    return error && error.unknown ? d.unknown : d.failed;
  }

  async function start(provider) {
    if (busy || sent) return;
    var d = Object.assign({}, box().dataset);
    busy = true;
    show();
    try {
      var hash = await pay(provider, d);
      sent = true;
      say(d.sent);
      hint(d, hash);
    } catch (error) {
      say(reason(error, d));
    }
    busy = false;
    show();
  }

  function button(template, d, wallet) {
    var copy = template.content.firstElementChild.cloneNode(true);
    var icon = copy.querySelector("img");
    // Icons of wallets are data: URIs, shown as images only, so that scripts inside of an SVG do not run.
    if (/^data:image\//.test(wallet.info.icon || "")) icon.src = wallet.info.icon; else icon.remove();
    copy.querySelector("[data-label]").textContent = wallet.info.name ? d.pay.replace("{wallet}", String(wallet.info.name).slice(0, 40)) : d.injected;
    copy.disabled = busy || sent;
    copy.addEventListener("click", function () { start(wallet.provider); });
    return copy;
  }

  function show() {
    var home = box();
    if (!home || !found.size) return;
    var template = home.querySelector("template");
    home.querySelectorAll("button").forEach(function (old) { old.remove(); });
    found.forEach(function (wallet) { home.insertBefore(button(template, home.dataset, wallet), template); });
    home.hidden = false;
  }

  window.addEventListener("eip6963:announceProvider", function (event) {
    var wallet = event.detail;
    if (!wallet || !wallet.info || !wallet.provider || found.has(wallet.info.uuid) || found.size >= 8) return;
    found.delete("injected");
    found.set(wallet.info.uuid, wallet);
    show();
  });
  window.dispatchEvent(new Event("eip6963:requestProvider"));

  // Wallets from before EIP-6963.
  setTimeout(function () {
    if (!found.size && window.ethereum) { found.set("injected", { info: {}, provider: window.ethereum }); show(); }
  }, 500);

  document.addEventListener("florin:stage", function () { sent = false; show(); });
})();
