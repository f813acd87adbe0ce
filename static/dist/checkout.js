(function () {
"use strict";
document.documentElement.classList.add("js");
var PATIENCE = 1000;
var latest = null; // the button that was pressed last: what came late of another would take the clipboard from it
function byCommand(text) {
var area = document.createElement("textarea"), focused = document.activeElement, done = false;
area.value = text;
area.className = "sr";
document.body.appendChild(area);
area.select();
try { done = document.execCommand("copy") === true; } catch (error) { /* not copied */ }
area.remove();
if (focused) focused.focus({ preventScroll: true });
return done;
}
function copy(text, wanted) {
var written = Promise.resolve(false);
try {
if (navigator.clipboard) written = navigator.clipboard.writeText(text).then(function () { return true; }, function () { return false; });
} catch (error) { /* not copied */ }
var late = new Promise(function (resolve) { setTimeout(resolve, PATIENCE, false); });
return Promise.race([written, late]).then(function (done) { return done || wanted() && byCommand(text); });
}
function dropByHand() { document.querySelectorAll(".byhand").forEach(function (old) { old.remove(); }); }
function byHand(button, text) {
var hold = button.getAttribute("data-hold") || "Press and hold to copy";
var part = document.createElement("div"), hint = document.createElement("p"), shown = document.createElement("p");
part.className = "byhand";
hint.className = "key";
hint.textContent = hold;
shown.className = "mono";
shown.dir = "ltr";
shown.textContent = text;
part.append(hint, shown);
button.after(part);
getSelection().selectAllChildren(shown);
florinSay(hold);
}
document.addEventListener("click", function (event) {
var button = event.target.closest("[data-copy],[data-print]");
if (!button) return;
if (button.hasAttribute("data-print")) { window.print(); return; }
var text = button.getAttribute("data-copy");
latest = button;
function wanted() { return latest === button; }
copy(text, wanted).then(function (done) {
if (!wanted()) return;
dropByHand();
clearTimeout(button.timer);
button.classList.toggle("copied", done);
if (!done) return byHand(button, text);
florinSay(button.getAttribute("data-done"));
button.timer = setTimeout(function () { button.classList.remove("copied"); }, 2000);
});
});
window.florinSay = function (text) {
var region = document.getElementById("announce");
if (region && text && region.textContent !== text) region.textContent = text;
};
})();
(function () {
"use strict";
var locale = document.documentElement.lang + "-u-nu-latn";
var title = document.title;
var spoken;
var kept = {};
var typed = {};
var clocks = [];
var ticked = 0;
function localTimes() {
var format = new Intl.DateTimeFormat(locale, { year: "numeric", month: "short", day: "numeric", hour: "numeric", minute: "2-digit", timeZoneName: "short" });
var days = new Intl.DateTimeFormat(locale, { year: "numeric", month: "short", day: "numeric" });
document.querySelectorAll("time[data-local]").forEach(function (time) {
var date = new Date(time.dateTime);
if (!isNaN(date)) { time.textContent = (time.getAttribute("data-local") === "date" ? days : format).format(date); time.removeAttribute("data-local"); }
});
}
function readClocks() {
clocks = Array.from(document.querySelectorAll("[data-left]"), function (element) {
return { element: element, ends: Date.now() + 1000 * element.getAttribute("data-left"), over: element.getAttribute("data-left") === "0", quiet: +element.getAttribute("data-quiet") };
});
}
function two(n) { return (n < 10 ? "0" : "") + n; }
function minutes(n) {
return new Intl.NumberFormat(locale, { style: "unit", unit: "minute", unitDisplay: "long" }).format(n);
}
function tick() {
var back = Math.max(0, ticked - Date.now()); // the device's clock was set back
ticked = Date.now();
clocks.forEach(function (clock) {
clock.ends -= back;
var left = Math.max(0, Math.round((clock.ends - Date.now()) / 1000));
var urgent = left <= clock.quiet;
var text = urgent ? two(Math.floor(left / 60)) + ":" + two(left % 60) : minutes(Math.ceil(left / 60));
if (clock.element.textContent !== text) clock.element.textContent = text;
clock.element.classList.toggle("urgent", urgent);
if (left === clock.quiet || left === 60) florinSay(clock.element.parentNode.textContent.trim());
if (left > 0 || clock.over) return;
clock.over = true;
document.dispatchEvent(new Event("florin:due"));
});
hideAddress();
}
function hideAddress() {
var card = document.querySelector(".send");
var over = clocks.some(function (clock) { return clock.over; });
if (!card || card.classList.contains("over") === over) return;
card.classList.toggle("over", over);
if (over) florinSay(card.querySelector(".up").textContent);
}
function announce() {
var news = document.querySelector("#status [data-say]") || document.querySelector("#stage [data-say]");
var text = news ? news.textContent : "";
if (text === spoken) return;
if (text && spoken !== undefined) { florinSay(text); document.title = text + " · " + title; }
spoken = text;
}
function bring() {
var stage = document.getElementById("stage");
if (stage.getBoundingClientRect().top < 0) stage.scrollIntoView();
}
function afterSwap(focusLost, step) {
if (step) bring();
readClocks();
tick();
announce();
restore();
retype();
var heading = document.querySelector("#stage h2[tabindex]");
if (focusLost && heading && document.activeElement === document.body) heading.focus();
document.dispatchEvent(new Event("florin:stage"));
}
function restore() {
Object.keys(kept).forEach(function (name) {
var chosen = document.getElementById(kept[name]);
if (chosen) chosen.checked = true;
});
}
function retype() {
Object.keys(typed).forEach(function (id) {
var old = typed[id], field = document.getElementById(id);
if (!field || field === old) return;
field.value = old.value;
if (document.activeElement === field) field.setSelectionRange(old.selectionStart, old.selectionEnd);
});
keepFields();
}
function keepFields() {
document.querySelectorAll("#stage input.text").forEach(function (field) { typed[field.id] = field; });
}
document.addEventListener("change", function (event) {
if (event.target.className === "via") kept[event.target.name] = event.target.id;
if (event.target.id === "showqr") document.querySelector(".qr").scrollIntoView({ block: "nearest" });
});
localTimes();
new MutationObserver(localTimes).observe(document.body, { childList: true, subtree: true });
readClocks();
keepFields();
announce();
tick();
setInterval(tick, 1000);
var stage = document.getElementById("stage");
if (stage) {
var inside = false;
document.addEventListener("focusin", function (event) { inside = stage.contains(event.target); });
new MutationObserver(function (changes) {
var step = changes.some(function (change) { return change.target === stage; });
if (step || changes.some(function (change) { return change.target.id === "status"; })) afterSwap(inside, step);
}).observe(stage, { childList: true, subtree: true });
}
})();
(function () {
"use strict";
var REST = 10000;
function rests(form, on) {
clearTimeout(form.resting);
form.resting = on ? setTimeout(rests, REST, form, false) : 0;
form.classList.toggle("resting", on);
Array.from(form.elements).forEach(function (e) {
if (e.type === "submit") e[on ? "setAttribute" : "removeAttribute"]("aria-disabled", "true");
});
}
document.addEventListener("submit", function (event) {
var form = event.target, by = event.submitter;
if (event.defaultPrevented || form.method !== "post") return;
if (by && (by.formMethod === "get" || by.formTarget) || form.target) return;
if (form.resting) event.preventDefault();
else rests(form, true);
});
window.addEventListener("pageshow", function () {
document.querySelectorAll("form.resting").forEach(function (form) { rests(form, false); });
});
})();
(function () {
"use strict";
var key = "florin-way";
function last() {
try { return JSON.parse(localStorage.getItem(key)) || {}; } catch (error) { return {}; }
}
document.addEventListener("submit", function (event) {
if (!event.submitter || event.submitter.name !== "network") return;
var form = new FormData(event.target);
try {
localStorage.setItem(key, JSON.stringify({ network: event.submitter.value, token: form.get("token"), via: form.get("via") }));
} catch (error) { /* a browser that keeps nothing */ }
});
function check(name, value) {
var radio = Array.from(document.querySelectorAll("input.via[name=" + name + "]")).find(function (r) { return r.value === value; });
if (!radio || radio.checked) return;
radio.checked = true;
radio.dispatchEvent(new Event("change", { bubbles: true }));
}
function sort() {
var head = document.querySelector("[data-last]");
if (!head) return;
Array.from(document.querySelectorAll("button.way")).forEach(function (way) {
if (way.value !== last().network) return;
var row = way.closest("li"), list = row.parentNode, tag = list.querySelector(".tag");
if (tag) tag.remove();
tag = document.createElement("span");
tag.className = "tag";
tag.textContent = head.getAttribute("data-last");
way.querySelector("b").after(" ", tag);
list.prepend(row);
});
}
if (document.querySelector("[data-last]")) {
if (!/[?&]via=/.test(location.search)) check("via", last().via);
check("token", last().token);
sort();
}
document.addEventListener("florin:stage", sort);
})();
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
var REFUSAL = /\b(user|request|transaction|signature|confirmation)\b.{0,20}\b(rejected|denied|declined|cancell?ed|disapproved|refused)|\b(rejected|denied|declined|cancell?ed|refused)\b.{0,20}\b(user|request)|user closed|user_?(reject|cancel|den)|^\W*(user )?(rejected|denied|declined|cancell?ed|refused|reject|cancel)\W*$|0x6985/im;
function refused(error) {
return [4001, 5000, "ACTION_REJECTED"].some(function (code) { return hasCode(error, code); }) || says(error, REFUSAL);
}
function hashIn(answer) {
var found = "";
some(answer, function (a) {
var hash = typeof a === "string" && /^\s*(?:0x)?([0-9a-f]{64})\s*$/i.exec(a);
if (hash) found = "0x" + hash[1].toLowerCase();
return !!hash;
});
return found;
}
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
(function () {
"use strict";
var UNKNOWN_CHAIN = /\b(unrecogni[sz]ed|unknown|unconfigured) (chain|network)|\b(chain|network)\b.{0,40}\bnot (yet )?(been )?(added|found|configured|known)/i;
function word(hex) { return hex.replace(/^0x/, "").toLowerCase().padStart(64, "0"); }
function transferData(to, units) { return "0xa9059cbb" + word(to) + word(BigInt(units).toString(16)); }
function ask(provider, method, params) { return provider.request(params ? { method: method, params: params } : { method: method }); }
function addChain(provider, d) {
var chain = { chainId: d.chain, chainName: d.name, rpcUrls: [d.rpc], nativeCurrency: { name: d.coin, symbol: d.coin, decimals: 18 } };
if (d.explorer) chain.blockExplorerUrls = [d.explorer];
return ask(provider, "wallet_addEthereumChain", [chain]);
}
function wait(ms) { return new Promise(function (resolve) { setTimeout(resolve, ms); }); }
async function isOn(provider, d) {
var chain = await ask(provider, "eth_chainId");
return BigInt(typeof chain === "string" ? chain.replace(/^eip155:/, "") : chain) === BigInt(d.chain);
}
async function arrives(provider, d) {
for (var began = Date.now(); Date.now() - began < 3000;) {
if (await isOn(provider, d)) return true;
await wait(200);
}
return isOn(provider, d);
}
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
if (!await isOn(provider, d)) await change(provider, d);
}
if (!await arrives(provider, d)) throw { stayed: true };
}
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
function injected() {
var known = florinWallets.some(function (w) { return w.fits({ chain: "0x1" }); });
if (!known && window.ethereum) florinWallets.add("injected", wallet(window.ethereum, {}));
}
[500, 1000, 2000, 3500, 5000, 8000, 12000, 20000].forEach(function (after) { setTimeout(injected, after); });
window.addEventListener("ethereum#initialized", injected);
})();
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
