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
var finder = document.getElementById("finder");
var asked = document.getElementById("finder-q");
function openFinder() {
var menu = document.getElementById("menu");
var find = document.querySelector("[data-find]");
if (finder && finder.showModal) {
if (!finder.open) finder.showModal();
asked.focus();
asked.select();
} else if (find) {
if (menu) menu.checked = true;
find.focus();
find.select();
}
}
var zone = Intl.DateTimeFormat().resolvedOptions().timeZone || "";
document.querySelectorAll("[data-zone]").forEach(function (input) { input.value = zone; });
document.querySelectorAll("input[name=zone]:not([type=hidden])").forEach(function (input) {
if (zone) input.placeholder = zone;
});
document.addEventListener("keydown", function (event) {
if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k") {
event.preventDefault();
openFinder();
}
});
if (finder && finder.showModal) {
finder.addEventListener("keydown", function (event) {
var links = Array.from(finder.querySelectorAll(".quick a"));
var at = links.indexOf(document.activeElement);
if (event.key === "ArrowDown" && links.length) {
event.preventDefault();
links[Math.min(at + 1, links.length - 1)].focus();
} else if (event.key === "ArrowUp" && at >= 0) {
event.preventDefault();
(links[at - 1] || asked).focus();
} else if (event.key === "Escape") {
event.preventDefault(); // otherwise the search field would only be cleared
finder.close();
}
});
asked.form.addEventListener("submit", function (event) {
var first = finder.querySelector(".quick a");
if (first && finder.getAttribute("data-found") === asked.value.trim()) {
event.preventDefault();
location.assign(first.href);
}
});
finder.addEventListener("htmx:afterSettle", function (event) {
var path = event.detail.pathInfo && event.detail.pathInfo.finalRequestPath;
if (path) finder.setAttribute("data-found", new URL(path, location.href).searchParams.get("q").trim());
});
finder.addEventListener("click", function (event) { if (event.target === finder) finder.close(); });
}
var held = new Map();
function busy(part) {
return part.querySelector("details[open], [data-busy]") || Array.from(part.querySelectorAll("input, textarea")).some(function (field) {
return field === document.activeElement || field.value !== field.defaultValue || field.checked !== field.defaultChecked;
});
}
function release() {
held.forEach(function (html, part) {
if (busy(part)) return;
held.delete(part);
part.innerHTML = html;
});
}
document.addEventListener("florin:part", function (event) {
held.delete(event.target);
if (!busy(event.target)) return;
held.set(event.target, event.detail);
event.preventDefault();
});
["focusout", "toggle"].forEach(function (name) {
document.addEventListener(name, function () { setTimeout(release, 500); }, true);
});
document.addEventListener("change", function (event) {
var all = event.target.closest("[data-tick-all]");
if (!all) return;
document.querySelectorAll("input[type=checkbox][form=" + all.getAttribute("data-tick-all") + "]").forEach(function (box) {
box.checked = all.checked;
});
});
var looks = document.querySelector("form[data-preview]");
var wait = 0;
if (looks) {
document.querySelectorAll("[data-colour-of]").forEach(function (picker) {
var text = document.getElementById(picker.getAttribute("data-colour-of"));
picker.hidden = false;
picker.addEventListener("input", function () {
text.value = picker.value;
text.dispatchEvent(new Event("input", { bubbles: true }));
});
text.addEventListener("input", function () {
if (/^#[0-9a-f]{6}$/i.test(text.value)) picker.value = text.value.toLowerCase();
});
});
document.addEventListener("input", function (event) {
if (event.target.form !== looks) return;
clearTimeout(wait);
wait = setTimeout(function () { looks.requestSubmit(looks.querySelector("[data-preview-button]")); }, 400);
});
}
})();
(function () {
"use strict";
if (!window.PublicKeyCredential || !navigator.credentials || !window.fetch) return;
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
function reason(problem, failure) {
var name = String(failure && failure.name).toLowerCase();
if (!failures[name]) name = "other";
return failure && failure.problem || problem.getAttribute("data-" + name) || failures[name];
}
function wire(place) {
var button = place.querySelector("[data-passkey=make]") || place.querySelector("[data-passkey]");
var form = button.form;
var problem = place.querySelector(":scope > .problem");
function run(done) {
button.disabled = true;
problem.textContent = "";
done().catch(function (failure) {
problem.textContent = reason(problem, failure);
button.disabled = false;
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
