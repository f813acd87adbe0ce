// Paying with a wallet in the browser. The server does not rely on a wallet's result: it watches the address and
// credits only what it reads from the chain. Below: wallets of EVM networks, wallets of Solana, the buttons.
var florinWallets = (function () {
  "use strict";
  var MOST = 50; // wallets
  var PATIENCE = 10000; // then the payer may choose again: a wallet may never answer
  var SEEN_AFTER = 60000; // then the network should have what a wallet says it sent
  var found = new Map();
  var attempt = null; // the request that a wallet has not answered: asked once it was asked to send, free once the payer may choose again
  var warned = "", unsure = ""; // the amount that the payer was warned of, and one that a wallet may have sent

  function box() { return document.getElementById("wallets"); }

  function say(text) {
    var line = box() && box().querySelector("[data-wallet-say]");
    if (line) line.textContent = text;
  }

  var INSIDE = ["data", "originalError", "cause", "error", "info", "reason", "result", "hash", "txHash", "transactionHash", "0"];

  // Whether what a wallet answers, or what is inside of it, passes a test. Wallets and what is between them and the page
  // wrap errors and hashes.
  function some(answer, test, depth) {
    if (!answer || depth > 4) return false;
    if (test(answer)) return true;
    return typeof answer === "object" && INSIDE.some(function (name) { return some(answer[name], test, (depth || 0) + 1); });
  }

  function hasCode(error, code) {
    return some(error, function (e) { return e.code === code || e.code === String(code); });
  }

  function says(error, words) {
    return some(error, function (e) { return words.test(typeof e === "string" ? e : [e.name, e.message, e.shortMessage, e.details].join("\n")); });
  }

  // 0x6985 is a hardware wallet on which the payer pressed the other button.
  var REFUSAL = /\b(user|request|transaction|signature|confirmation)\b.{0,20}\b(rejected|denied|declined|cancell?ed|disapproved|refused)|\b(rejected|denied|declined|cancell?ed|refused)\b.{0,20}\b(user|request)|user closed|user_?(reject|cancel|den)|^\W*(user )?(rejected|denied|declined|cancell?ed|refused|reject|cancel)\W*$|0x6985/im;

  function refused(error) {
    return [4001, 5000, "ACTION_REJECTED"].some(function (code) { return hasCode(error, code); }) || says(error, REFUSAL);
  }

  // The hash of a transaction of an EVM network in what a wallet answers; empty if there is none.
  function hashIn(answer) {
    var found = "";
    some(answer, function (a) {
      var hash = typeof a === "string" && /^\s*(?:0x)?([0-9a-f]{64})\s*$/i.exec(a);
      if (hash) found = "0x" + hash[1].toLowerCase();
      return !!hash;
    });
    return found;
  }

  // A transfer may have been sent only if the wallet was asked to send it.
  function reason(error, d, asked) {
    if (refused(error)) return d.refused;
    if (hasCode(error, -32002)) return d.pending;
    if (hasCode(error, 4100) || error && error.locked) return d.locked;
    if (error && error.stayed) return d.stayed;
    if (error && error.gas) return d.gas;
    if (error && error.funds) return d.funds;
    if (error && error.unknown) return d.unknown;
    return asked ? d.failed : d.unprepared;
  }

  // What a wallet says it sent for this payment. Only this browser keeps it: it is a claim until the network has it.
  function claim(d) {
    try {
      var kept = JSON.parse(localStorage.getItem("florin-sent:" + d.payment));
      return kept && kept.amount === d.amount ? kept : null;
    } catch (error) { return null; }
  }

  function keep(d, kept) {
    try { localStorage.setItem("florin-sent:" + d.payment, JSON.stringify(kept)); } catch (error) { /* a browser that keeps nothing */ }
    memory[d.payment] = kept;
  }

  var memory = {};

  function sent(d) {
    var kept = claim(d) || memory[d.payment];
    return kept && kept.amount === d.amount ? kept : null;
  }

  // The money is not there after a minute: the server looks for the transaction.
  async function look() {
    var d = box() && Object.assign({}, box().dataset), kept = d && sent(d);
    if (!kept || document.hidden || Date.now() - (kept.looked || kept.at) < SEEN_AFTER) return;
    kept.looked = Date.now();
    var verdict = "";
    try {
      var answer = await fetch("/txn/" + d.payment + "/find", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ hash: kept.hash }) });
      verdict = (await answer.json()).finding.verdict;
    } catch (error) { /* not seen */ }
    kept.unseen = ["credited", "not_final", "short"].indexOf(verdict) < 0;
    keep(d, kept);
    show();
  }

  async function start(wallet) {
    if (attempt && !attempt.free) return;
    var d = Object.assign({}, box().dataset), kept = sent(d);
    if (kept && !kept.unseen) return;
    if ((kept || attempt && attempt.asked || unsure === d.amount) && warned !== d.amount) {
      warned = d.amount;
      say(d.again);
      return;
    }
    warned = unsure = "";
    var mine = attempt = { asked: false, free: false };
    var timer = setTimeout(function () { mine.free = true; show(); }, PATIENCE);
    // A request that was given up, or whose payment has changed, asks the wallet for nothing more.
    function step(text) {
      var now = box() && box().dataset;
      if (mine !== attempt || !now || now.to !== d.to || now.amount !== d.amount || document.querySelector(".send.over")) throw { over: true };
      say(text);
    }
    show();
    try {
      var hash = await wallet.pay(d, step, function () { mine.asked = true; });
      if (!hash) throw { form: true };
      keep(d, { hash: hash, amount: d.amount, at: Date.now() });
    } catch (error) {
      if (mine.asked && !refused(error)) unsure = d.amount;
      if (mine === attempt) say(error && error.over ? "" : reason(error, d, mine.asked));
    }
    clearTimeout(timer);
    if (mine === attempt) attempt = null;
    show();
  }

  function button(template, d, wallet) {
    var copy = template.content.firstElementChild.cloneNode(true);
    var icon = copy.querySelector("img");
    // Icons of wallets are data: URIs, shown as images only, so that scripts inside of an SVG do not run.
    if (/^data:image\//.test(wallet.icon || "")) icon.src = wallet.icon; else icon.remove();
    copy.querySelector("[data-label]").textContent = wallet.name ? d.pay.replace("{wallet}", String(wallet.name).slice(0, 40)) : d.injected;
    var kept = sent(d);
    copy.disabled = !!attempt && !attempt.free || !!kept && !kept.unseen;
    copy.addEventListener("click", function () { start(wallet); });
    return copy;
  }

  function show() {
    var home = box();
    if (!home) return;
    var template = home.querySelector("template");
    var fitting = Array.from(found.values()).filter(function (wallet) { return wallet.fits(home.dataset); });
    home.querySelectorAll("button:not([data-wallet-cancel])").forEach(function (old) { old.remove(); });
    fitting.forEach(function (wallet) { home.insertBefore(button(template, home.dataset, wallet), template); });
    home.hidden = !fitting.length;
    home.querySelector("[data-wallet-cancel]").hidden = !attempt || !attempt.free;
    var apps = document.getElementById("apps");
    if (apps) apps.hidden = !!fitting.length; // this is a wallet's own browser already
    var kept = sent(home.dataset);
    if (kept && !attempt && !warned) say(kept.unseen ? home.dataset.unseen : home.dataset.sent);
  }

  document.addEventListener("click", function (event) {
    if (!event.target.closest("[data-wallet-cancel]")) return;
    warned = "";
    attempt = attempt && attempt.asked ? { asked: true, free: true } : null;
    say("");
    show();
  });
  document.addEventListener("florin:stage", show);
  setInterval(look, 5000);

  return {
    hasCode: hasCode,
    says: says,
    hashIn: hashIn,
    some: function (test) { return Array.from(found.values()).some(test); },
    forget: function (id) { found.delete(id); show(); },
    add: function (id, wallet) {
      if (found.has(id) || found.size >= MOST) return;
      found.set(id, wallet);
      show();
    }
  };
})();

// EVM networks: discovery by EIP-6963, requests by EIP-1193.
(function () {
  "use strict";
  var UNKNOWN_CHAIN = /\b(unrecogni[sz]ed|unknown|unconfigured) (chain|network)|\b(chain|network)\b.{0,40}\bnot (yet )?(been )?(added|found|configured|known)/i;

  function word(hex) { return hex.replace(/^0x/, "").toLowerCase().padStart(64, "0"); }

  // ERC-20 transfer(address,uint256).
  function transferData(to, units) { return "0xa9059cbb" + word(to) + word(BigInt(units).toString(16)); }

  function ask(provider, method, params) { return provider.request(params ? { method: method, params: params } : { method: method }); }

  function addChain(provider, d) {
    var chain = { chainId: d.chain, chainName: d.name, rpcUrls: [d.rpc], nativeCurrency: { name: d.coin, symbol: d.coin, decimals: 18 } };
    if (d.explorer) chain.blockExplorerUrls = [d.explorer];
    return ask(provider, "wallet_addEthereumChain", [chain]);
  }

  function wait(ms) { return new Promise(function (resolve) { setTimeout(resolve, ms); }); }

  // Wallets write the number of a network as they like: 137, "0x89", "eip155:137".
  async function isOn(provider, d) {
    var chain = await ask(provider, "eth_chainId");
    return BigInt(typeof chain === "string" ? chain.replace(/^eip155:/, "") : chain) === BigInt(d.chain);
  }

  // A wallet changes the network a moment after it has said so.
  async function arrives(provider, d) {
    for (var began = Date.now(); Date.now() - began < 3000;) {
      if (await isOn(provider, d)) return true;
      await wait(200);
    }
    return isOn(provider, d);
  }

  // Some wallets change the network and never say so.
  async function change(provider, d) {
    var over = false;
    async function seen() {
      for (;;) {
        await wait(1000);
        if (over || await isOn(provider, d)) return;
      }
    }
    try {
      await Promise.race([ask(provider, "wallet_switchEthereumChain", [{ chainId: d.chain }]), seen()]);
    } finally { over = true; }
  }

  async function onChain(provider, d, step) {
    if (await isOn(provider, d)) return;
    step(d.switch);
    try {
      await change(provider, d);
    } catch (error) {
      if (!florinWallets.hasCode(error, 4902) && !florinWallets.says(error, UNKNOWN_CHAIN)) throw error;
      if (!d.rpc) throw { unknown: true };
      step(d.switch);
      await addChain(provider, d);
      // Adding a network does not select it (EIP-3085).
      if (!await isOn(provider, d)) await change(provider, d);
    }
    if (!await arrives(provider, d)) throw { stayed: true };
  }

  // What the page doubts, by what it can read. It is said, and decides nothing: a wallet may pay the fee in the token, let
  // another pay it, or get the tokens from elsewhere.
  async function doubts(provider, d, account) {
    var call = { to: d.contract, data: "0x70a08231" + word(account) }; // ERC-20 balanceOf(address)
    var least = [[d.doubtFunds, "eth_call", [call, "latest"], BigInt(d.units)], [d.doubtGas, "eth_getBalance", [account, "latest"], BigInt(1)]];
    var late = new Promise(function (resolve) { setTimeout(resolve, 2000, null); });
    return (await Promise.all(least.map(async function (l) {
      try {
        var held = await Promise.race([ask(provider, l[1], l[2]), late]);
        return held && BigInt(held) < l[3] ? l[0] + " " : "";
      } catch (error) { return ""; } // the wallet knows
    }))).join("");
  }

  function first(accounts) { return [].concat(accounts)[0]; }

  function wallet(provider, info) {
    return {
      name: info.name, icon: info.icon,
      fits: function (d) { return !!d.chain; },
      pay: async function (d, step, asking) {
        step(d.connect);
        var account = first(await ask(provider, "eth_requestAccounts"));
        // The payer may choose another account meanwhile.
        if (provider.on) provider.on("accountsChanged", function (accounts) { account = first(accounts); });
        if (!account) throw { locked: true };
        await onChain(provider, d, step);
        var doubt = await doubts(provider, d, account);
        if (!await isOn(provider, d)) throw { stayed: true };
        if (!account) throw { locked: true };
        step(doubt + d.confirm);
        asking();
        return florinWallets.hashIn(await ask(provider, "eth_sendTransaction", [{ from: account, to: d.contract, value: "0x0", data: transferData(d.to, d.units), chainId: d.chain }]));
      }
    };
  }

  window.addEventListener("eip6963:announceProvider", function (event) {
    var announced = event.detail;
    if (!announced || !announced.info || !announced.provider) return;
    florinWallets.forget("injected");
    florinWallets.add([announced.info.rdns || announced.info.uuid, announced.info.name].join(), wallet(announced.provider, announced.info));
  });
  window.dispatchEvent(new Event("eip6963:requestProvider"));

  // Wallets from before EIP-6963. Some come seconds after the page.
  function injected() {
    var known = florinWallets.some(function (w) { return w.fits({ chain: "0x1" }); });
    if (!known && window.ethereum) florinWallets.add("injected", wallet(window.ethereum, {}));
  }
  [500, 1000, 2000, 3500, 5000, 8000, 12000, 20000].forEach(function (after) { setTimeout(injected, after); });
  window.addEventListener("ethereum#initialized", injected);
})();

// Solana: the Wallet Standard. The server builds the transaction, because only it knows which accounts exist.
(function () {
  "use strict";
  var CONNECT = "standard:connect";
  var SEND = "solana:signAndSendTransaction";
  var SIGN = "solana:signTransaction"; // of wallets that cannot send: the server does

  function base58(bytes) {
    var digits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz", n = BigInt(0), out = "";
    bytes.forEach(function (b) { n = n * BigInt(256) + BigInt(b); });
    for (; n > BigInt(0); n /= BigInt(58)) out = digits[Number(n % BigInt(58))] + out;
    for (var i = 0; i < bytes.length && !bytes[i]; i++) out = "1" + out;
    return out;
  }

  // The signature in what a wallet answers: bytes in any of their forms, or already in base 58.
  function signatureIn(answer) {
    var signed = answer && answer.signature || answer;
    if (typeof signed === "string") return /^[1-9A-HJ-NP-Za-km-z]{86,88}$/.test(signed) ? signed : "";
    var bytes = signed ? Object.values(signed.data || signed) : [];
    return bytes.length === 64 ? base58(bytes) : "";
  }

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
      pay: async function (d, step, asking) {
        step(d.connect);
        var accounts = (await w.features[CONNECT].connect()).accounts;
        var account = accounts.find(function (a) { return a.chains.indexOf(d.solana) >= 0; });
        if (!account) throw accounts.length ? { unknown: true } : { locked: true };
        var transaction = await prepared(d, account.address);
        step(d.confirm);
        var input = { account: account, transaction: transaction, chain: d.solana };
        if (w.features[SEND]) {
          asking();
          return signatureIn([].concat(await w.features[SEND].signAndSendTransaction(input))[0]);
        }
        var signed = [].concat(await w.features[SIGN].signTransaction(input))[0].signedTransaction;
        step(d.confirm);
        asking();
        var answer = await fetch(d.make, { method: "POST", body: new URLSearchParams({ signed: btoa(String.fromCharCode.apply(null, signed)) }) });
        return signatureIn(await answer.json());
      }
    };
  }

  function register() {
    Array.prototype.forEach.call(arguments, function (w) {
      if (w && w.features && w.features[CONNECT] && (w.features[SEND] || w.features[SIGN]) && Array.isArray(w.chains)) florinWallets.add("solana:" + w.name, wallet(w));
    });
    return function () {};
  }

  var api = Object.freeze({ register: register });
  window.addEventListener("wallet-standard:register-wallet", function (event) { event.detail(api); });
  window.dispatchEvent(new CustomEvent("wallet-standard:app-ready", { detail: api }));
})();
