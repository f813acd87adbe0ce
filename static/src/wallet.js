// Paying with a wallet in the browser. The server does not rely on a wallet's result: it watches the address and
// credits only what it reads from the chain. Below: wallets of EVM networks, wallets of Solana, the buttons.
var florinWallets = (function () {
  "use strict";
  var found = new Map();
  var busy = false;
  var sent = ""; // the amount a wallet has sent; the page shows another one when it was too little

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

  // A transfer counts as unsent only if it is known to have failed before it was sent.
  function reason(error, d) {
    if (hasCode(error, 4001)) return d.refused;
    if (hasCode(error, -32002)) return d.pending;
    if (hasCode(error, 4100) || error && error.locked) return d.locked;
    if (error && error.stayed) return d.stayed;
    if (error && error.gas) return d.gas;
    if (error && error.funds) return d.funds;
    if (error && error.unprepared) return d.unprepared;
    return error && error.unknown ? d.unknown : d.failed;
  }

  async function start(wallet) {
    if (busy || sent === box().dataset.amount) return;
    var d = Object.assign({}, box().dataset);
    busy = true;
    show();
    try {
      await wallet.pay(d, say);
      sent = d.amount;
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
    if (/^data:image\//.test(wallet.icon || "")) icon.src = wallet.icon; else icon.remove();
    copy.querySelector("[data-label]").textContent = wallet.name ? d.pay.replace("{wallet}", String(wallet.name).slice(0, 40)) : d.injected;
    copy.disabled = busy || sent === d.amount;
    copy.addEventListener("click", function () { start(wallet); });
    return copy;
  }

  function show() {
    var home = box();
    if (!home) return;
    var template = home.querySelector("template");
    var fitting = Array.from(found.values()).filter(function (wallet) { return wallet.fits(home.dataset); });
    home.querySelectorAll("button").forEach(function (old) { old.remove(); });
    fitting.forEach(function (wallet) { home.insertBefore(button(template, home.dataset, wallet), template); });
    home.hidden = !fitting.length;
    var apps = document.getElementById("apps");
    if (apps) apps.hidden = !!fitting.length; // this is a wallet's own browser already
    if (sent === home.dataset.amount) say(home.dataset.sent);
  }

  document.addEventListener("florin:stage", show);

  return {
    hasCode: hasCode,
    some: function (test) { return Array.from(found.values()).some(test); },
    forget: function (id) { found.delete(id); show(); },
    add: function (id, wallet) {
      if (found.has(id) || found.size >= 8) return;
      found.set(id, wallet);
      show();
    }
  };
})();

// EVM networks: discovery by EIP-6963, requests by EIP-1193.
(function () {
  "use strict";

  function word(hex) { return hex.replace(/^0x/, "").toLowerCase().padStart(64, "0"); }

  // ERC-20 transfer(address,uint256).
  function transferData(to, units) { return "0xa9059cbb" + word(to) + word(BigInt(units).toString(16)); }

  function ask(provider, method, params) { return provider.request(params ? { method: method, params: params } : { method: method }); }

  function addChain(provider, d) {
    var chain = { chainId: d.chain, chainName: d.name, rpcUrls: [d.rpc], nativeCurrency: { name: d.coin, symbol: d.coin, decimals: 18 } };
    if (d.explorer) chain.blockExplorerUrls = [d.explorer];
    return ask(provider, "wallet_addEthereumChain", [chain]);
  }

  async function onChain(provider, d, say) {
    if (BigInt(await ask(provider, "eth_chainId")) === BigInt(d.chain)) return;
    say(d.switch);
    var target = [{ chainId: d.chain }];
    try {
      await ask(provider, "wallet_switchEthereumChain", target);
    } catch (error) {
      if (!florinWallets.hasCode(error, 4902)) throw error;
      if (!d.rpc) throw { unknown: true };
      await addChain(provider, d);
      // Adding a network does not select it (EIP-3085).
      await ask(provider, "wallet_switchEthereumChain", target);
    }
    if (BigInt(await ask(provider, "eth_chainId")) !== BigInt(d.chain)) throw { stayed: true };
  }

  // Whether the account holds the tokens; if that cannot be read, the wallet reports it when it sends.
  async function holds(provider, d, account) {
    try {
      var call = { to: d.contract, data: "0x70a08231" + word(account) }; // ERC-20 balanceOf(address)
      return BigInt(await ask(provider, "eth_call", [call, "latest"])) >= BigInt(d.units);
    } catch (error) { return true; }
  }

  // A transfer of an ERC-20 token takes up to so much gas.
  var GAS = BigInt(65000);

  // Whether the account can pay the network fee, in the same way.
  async function pays(provider, account) {
    try {
      var coins = BigInt(await ask(provider, "eth_getBalance", [account, "latest"]));
      return coins > BigInt(0) && coins >= GAS * BigInt(await ask(provider, "eth_gasPrice"));
    } catch (error) { return true; }
  }

  function wallet(provider, info) {
    return {
      name: info.name, icon: info.icon,
      fits: function (d) { return !!d.chain; },
      pay: async function (d, say) {
        say(d.connect);
        var accounts = await ask(provider, "eth_requestAccounts");
        if (!accounts || !accounts.length) throw { locked: true };
        await onChain(provider, d, say);
        if (!await holds(provider, d, accounts[0])) throw { funds: true };
        if (!await pays(provider, accounts[0])) throw { gas: true };
        say(d.confirm);
        await ask(provider, "eth_sendTransaction", [{ from: accounts[0], to: d.contract, value: "0x0", data: transferData(d.to, d.units) }]);
      }
    };
  }

  window.addEventListener("eip6963:announceProvider", function (event) {
    var announced = event.detail;
    if (!announced || !announced.info || !announced.provider) return;
    florinWallets.forget("injected");
    florinWallets.add(announced.info.uuid, wallet(announced.provider, announced.info));
  });
  window.dispatchEvent(new Event("eip6963:requestProvider"));

  // Wallets from before EIP-6963.
  setTimeout(function () {
    var known = florinWallets.some(function (w) { return w.fits({ chain: "0x1" }); });
    if (!known && window.ethereum) florinWallets.add("injected", wallet(window.ethereum, {}));
  }, 500);
})();

// Solana: the Wallet Standard. The server builds the transaction, because only it knows which accounts exist.
(function () {
  "use strict";
  var CONNECT = "standard:connect";
  var SEND = "solana:signAndSendTransaction";

  async function prepared(d, account) {
    var answer = {};
    try {
      answer = await fetch(d.make, { method: "POST", body: new URLSearchParams({ account: account }) });
      var body = await answer.json();
      if (answer.ok) return Uint8Array.from(atob(body.transaction), function (c) { return c.charCodeAt(0); });
    } catch (error) { /* reported below */ }
    throw { unprepared: true, gas: !!body && body.reason === "gas", funds: answer.status === 422 };
  }

  function wallet(w) {
    return {
      name: w.name, icon: w.icon,
      fits: function (d) { return !!d.solana && w.chains.indexOf(d.solana) >= 0; },
      pay: async function (d, say) {
        say(d.connect);
        var accounts = (await w.features[CONNECT].connect()).accounts;
        var account = accounts.find(function (a) { return a.chains.indexOf(d.solana) >= 0; });
        if (!account) throw accounts.length ? { unknown: true } : { locked: true };
        var transaction = await prepared(d, account.address);
        say(d.confirm);
        await w.features[SEND].signAndSendTransaction({ account: account, transaction: transaction, chain: d.solana });
      }
    };
  }

  function register() {
    Array.prototype.forEach.call(arguments, function (w) {
      if (w && w.features && w.features[CONNECT] && w.features[SEND] && Array.isArray(w.chains)) florinWallets.add("solana:" + w.name, wallet(w));
    });
    return function () {};
  }

  var api = Object.freeze({ register: register });
  window.addEventListener("wallet-standard:register-wallet", function (event) { event.detail(api); });
  window.dispatchEvent(new CustomEvent("wallet-standard:app-ready", { detail: api }));
})();
