(function () {
"use strict";
document.documentElement.classList.add("js");
function fallback(text) {
var area = document.createElement("textarea");
area.value = text;
area.className = "sr";
document.body.appendChild(area);
area.select();
try { document.execCommand("copy"); } finally { area.remove(); }
}
document.addEventListener("click", function (event) {
var button = event.target.closest("[data-copy],[data-print]");
if (!button) return;
if (button.hasAttribute("data-print")) { window.print(); return; }
var text = button.getAttribute("data-copy");
var copied = navigator.clipboard ? navigator.clipboard.writeText(text).catch(function () { fallback(text); }) : Promise.resolve(fallback(text));
copied.then(function () {
button.classList.add("copied");
florinSay(button.getAttribute("data-done"));
clearTimeout(button.timer);
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
function localTimes(root) {
var format = new Intl.DateTimeFormat(locale, { year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", timeZoneName: "short" });
var days = new Intl.DateTimeFormat(locale, { year: "numeric", month: "short", day: "numeric" });
root.querySelectorAll("time[data-local]").forEach(function (time) {
var date = new Date(time.dateTime);
if (!isNaN(date)) { time.textContent = (time.getAttribute("data-local") === "date" ? days : format).format(date); time.removeAttribute("data-local"); }
});
}
function readClocks() {
clocks = Array.from(document.querySelectorAll("[data-left]"), function (element) {
return { element: element, ends: Date.now() + 1000 * element.getAttribute("data-left"), quiet: +element.getAttribute("data-quiet") };
});
}
function two(n) { return (n < 10 ? "0" : "") + n; }
function minutes(n) {
return new Intl.NumberFormat(locale, { style: "unit", unit: "minute", unitDisplay: "long" }).format(n);
}
function tick() {
clocks.forEach(function (clock) {
var left = Math.max(0, Math.round((clock.ends - Date.now()) / 1000));
var hurry = left <= clock.quiet;
var text = hurry ? two(Math.floor(left / 60)) + ":" + two(left % 60) : minutes(Math.ceil(left / 60));
if (clock.element.textContent !== text) clock.element.textContent = text;
clock.element.classList.toggle("hurry", hurry);
if (left === clock.quiet || left === 60) florinSay(clock.element.parentNode.textContent.trim());
});
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
localTimes(document);
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
document.addEventListener("htmx:sseMessage", function (event) {
var line = document.querySelector("[sse-connect]");
var step = event.detail.lastEventId;
if (line && step) line.setAttribute("sse-connect", line.getAttribute("sse-connect").replace(/([?&]stage=)[^&]*/, "$1" + encodeURIComponent(step)));
});
function offline(yes) {
var line = document.getElementById("offline");
if (line) line.hidden = !yes;
}
document.addEventListener("htmx:sseError", function () { offline(true); });
document.addEventListener("htmx:sseOpen", function () { offline(false); });
localTimes(document);
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
var found = new Map();
var busy = false;
var sent = ""; // the amount a wallet has sent; the page shows another one when it was too little
function box() { return document.getElementById("wallets"); }
function say(text) {
var line = box() && box().querySelector("[data-wallet-say]");
if (line) line.textContent = text;
}
function hasCode(error, code) {
var inner = error && error.data && (error.data.originalError || error.data.cause || error.data);
return !!error && (error.code === code || (!!inner && inner.code === code));
}
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
(function () {
"use strict";
function word(hex) { return hex.replace(/^0x/, "").toLowerCase().padStart(64, "0"); }
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
await ask(provider, "wallet_switchEthereumChain", target);
}
if (BigInt(await ask(provider, "eth_chainId")) !== BigInt(d.chain)) throw { stayed: true };
}
async function holds(provider, d, account) {
try {
var call = { to: d.contract, data: "0x70a08231" + word(account) }; // ERC-20 balanceOf(address)
return BigInt(await ask(provider, "eth_call", [call, "latest"])) >= BigInt(d.units);
} catch (error) { return true; }
}
var GAS = BigInt(65000);
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
setTimeout(function () {
var known = florinWallets.some(function (w) { return w.fits({ chain: "0x1" }); });
if (!known && window.ethereum) florinWallets.add("injected", wallet(window.ethereum, {}));
}, 500);
})();
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
