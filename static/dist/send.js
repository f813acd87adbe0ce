(function () {
"use strict";
var MOST = 10; // wallets
var known = [], wallets = [];
function add(id, wallet) {
if (known.indexOf(id) >= 0 || known.length >= MOST) return;
known.push(id);
wallets.push(wallet);
fill();
}
function fill() {
document.querySelectorAll("[data-send]").forEach(function (form) {
form.wallets = form.wallets || [];
wallets.forEach(function (wallet) { if (form.wallets.indexOf(wallet) < 0) offer(form, wallet); });
});
}
function offer(form, wallet) {
form.wallets.push(wallet);
if (!wallet.fits(form.dataset.send)) return;
var button = form.querySelector("button");
if (!form.hidden) button = form.insertBefore(button.cloneNode(true), form.querySelector("[data-say]"));
if (wallet.name) button.textContent = form.dataset.with.replace("{name}", String(wallet.name).slice(0, 40));
form.hidden = false;
button.addEventListener("click", function (event) {
event.preventDefault();
start(form, wallet);
});
}
var part = document.querySelector("[sse-swap=refunds]");
if (part) new MutationObserver(fill).observe(part, { childList: true });
function has(error, codes) {
return !!error && (codes.indexOf(error.code) >= 0 || has(error.data && error.data.originalError || error.cause, codes));
}
function declined(error) { return has(error, [4001, 5000, "ACTION_REJECTED"]) || /reject|declin|denied|cancel/i.test(error && error.message || ""); }
function post(path, fields) {
return fetch(path, { method: "POST", body: new URLSearchParams(fields || {}) });
}
async function named(call, hash) { if (hash) await post(call.path + "hash", { hash: hash }); }
async function unsent(list) { for (var call of list) await post(call.path + "unsend"); }
async function asked(form, fields) {
var answer = await post(form.action, fields);
var body = await answer.json().catch(function () { return {}; });
if (!answer.ok) throw { said: body.message || form.dataset.silent };
return body;
}
async function start(form, wallet) {
var buttons = form.querySelectorAll("button");
var say = function (text) { form.querySelector("[data-say]").textContent = text; };
buttons.forEach(function (b) { b.disabled = true; });
form.dataset.busy = ""; // no update replaces it
say(form.dataset.open);
try {
await wallet.send(form, say);
} catch (error) {
say(error && error.said || form.dataset.fault);
}
buttons.forEach(function (b) { b.disabled = false; });
delete form.dataset.busy;
}
function word(hex) { return hex.replace(/^0x/, "").toLowerCase().padStart(64, "0"); }
function data(call) { return "0xa9059cbb" + word(call.to) + word(BigInt(call.units).toString(16)); }
async function receiptsOf(provider, id) {
for (var began = Date.now(); Date.now() - began < 600000;) {
try {
var answer = await provider.request({ method: "wallet_getCallsStatus", params: [id] });
} catch (error) { return []; }
if (answer.status >= 200) return answer.receipts || [];
await new Promise(function (resolve) { setTimeout(resolve, 1500); });
}
return [];
}
async function together(provider, from, chain, calls) {
var sent = await provider.request({ method: "wallet_sendCalls", params: [{
version: "2.0.0", chainId: chain, from: from, atomicRequired: false,
calls: calls.map(function (call) { return { to: call.contract, value: "0x0", data: data(call) }; })
}] });
var receipts = await receiptsOf(provider, sent.id || sent);
return calls.map(function (call, i) { return (receipts[i] || receipts[0] || {}).transactionHash; });
}
function one(provider, from, chain, call) {
return provider.request({ method: "eth_sendTransaction", params: [{ from: from, to: call.contract, value: "0x0", data: data(call), chainId: chain }] });
}
async function sendEVM(provider, form, say) {
var chain = form.dataset.send;
var from = (await provider.request({ method: "eth_requestAccounts" }))[0];
if (BigInt(await provider.request({ method: "eth_chainId" })) !== BigInt(chain)) {
await provider.request({ method: "wallet_switchEthereumChain", params: [{ chainId: chain }] });
}
var calls = (await asked(form)).calls;
if (!calls.length) return location.reload();
say(form.dataset.confirm);
try {
var hashes = await together(provider, from, chain, calls);
for (var i = 0; i < calls.length; i++) await named(calls[i], hashes[i]);
return location.reload();
} catch (error) {
if (has(error, [4001])) {
await unsent(calls);
throw { said: form.dataset.declined };
}
if (!has(error, [-32601, -32602, 4200, 5700, 5710, 5750])) throw error;
}
for (var n = 0; n < calls.length; n++) {
try {
await named(calls[n], await one(provider, from, chain, calls[n]));
} catch (error) {
if (!has(error, [4001])) throw error;
await unsent(calls.slice(n));
return location.reload();
}
}
location.reload();
}
function evm(provider, name) {
return {
name: name,
fits: function (network) { return network.indexOf("0x") === 0; },
send: function (form, say) { return sendEVM(provider, form, say); }
};
}
window.addEventListener("eip6963:announceProvider", function (event) {
var d = event.detail;
if (d && d.provider) add("evm:" + (d.info && (d.info.rdns || d.info.uuid)), evm(d.provider, d.info && d.info.name));
});
window.dispatchEvent(new Event("eip6963:requestProvider"));
setTimeout(function () { if (!known.some(function (id) { return id.indexOf("evm:") === 0; }) && window.ethereum) add("evm:", evm(window.ethereum)); }, 1000);
var CONNECT = "standard:connect", SEND = "solana:signAndSendTransaction", SIGN = "solana:signTransaction";
function base58(bytes) {
var digits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz", n = BigInt(0), out = "";
bytes.forEach(function (b) { n = n * BigInt(256) + BigInt(b); });
for (; n > BigInt(0); n /= BigInt(58)) out = digits[Number(n % BigInt(58))] + out;
for (var i = 0; i < bytes.length && !bytes[i]; i++) out = "1" + out;
return out;
}
async function sendSolana(w, form, say) {
var network = form.dataset.send;
var account = (await w.features[CONNECT].connect()).accounts.find(function (a) { return a.chains.indexOf(network) >= 0; });
if (!account) throw { said: form.dataset.account };
var made = await asked(form, { account: account.address });
if (!made.calls.length) return location.reload();
say(form.dataset.confirm);
var input = { account: account, chain: network, transaction: Uint8Array.from(atob(made.transaction), function (c) { return c.charCodeAt(0); }) };
var hash = "", signed;
try {
if (w.features[SEND]) hash = base58([].concat(await w.features[SEND].signAndSendTransaction(input))[0].signature);
else signed = [].concat(await w.features[SIGN].signTransaction(input))[0].signedTransaction;
} catch (error) {
if (!declined(error) && w.features[SEND]) throw error;
await unsent(made.calls); // it has signed nothing
throw { said: declined(error) ? form.dataset.declined : form.dataset.unsigned };
}
if (signed) {
var text = Array.from(signed, function (b) { return String.fromCharCode(b); }).join("");
var answer = await post(form.dataset.relay, { transaction: btoa(text) });
if (!answer.ok) throw { said: form.dataset.untaken };
hash = (await answer.json()).hash;
}
for (var call of made.calls) await named(call, hash);
location.reload();
}
function register() {
Array.prototype.forEach.call(arguments, function (w) {
if (!w || !w.features || !w.features[CONNECT] || !w.features[SEND] && !w.features[SIGN] || !Array.isArray(w.chains)) return;
add("solana:" + w.name, {
name: w.name,
fits: function (network) { return w.chains.indexOf(network) >= 0; },
send: function (form, say) { return sendSolana(w, form, say); }
});
});
return function () {};
}
var api = Object.freeze({ register: register });
window.addEventListener("wallet-standard:register-wallet", function (event) { event.detail(api); });
window.dispatchEvent(new CustomEvent("wallet-standard:app-ready", { detail: api }));
})();
