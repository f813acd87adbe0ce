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
