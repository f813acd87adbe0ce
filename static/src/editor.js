// The editor of the query console: colours GraphQL and completes it from the schema of this server. It works on a
// textarea, which keeps its own undo, selection and accessibility; the colours lie behind it.
(function () {
  "use strict";
  var area = document.querySelector("[data-editor]");
  if (!area) return;
  var paint = area.parentNode.querySelector("[data-paint]");
  var list = document.getElementById("completions");
  var token = /(#[^\n]*)|("""[\s\S]*?(?:"""|$)|"(?:[^"\\\n]|\\.)*"?)|(\$[A-Za-z_]\w*)|(@[A-Za-z_]\w*)|(-?\d[\w.+-]*)|([A-Za-z_]\w*)|(\.\.\.)|([{}()[\]:!=|&,])|(\s+|.)/g;
  var keywords = { query: 1, mutation: 1, subscription: 1, fragment: 1, on: 1, "true": 1, "false": 1, "null": 1 };
  var schema = null;
  var directives = [];
  var shown = [];
  var chosen = -1;
  var from = 0;
  var took = false; // the Enter that is held down took a completion: it breaks no line

  function tokens(text) {
    var all = [];
    var match;
    token.lastIndex = 0;
    while ((match = token.exec(text)) !== null && match[0] !== "") {
      var kind = ["comment", "string", "variable", "directive", "number", "name", "spread", "mark", "space"][match.slice(1).findIndex(function (m) { return m !== undefined; })];
      all.push({ kind: kind, text: match[0], at: match.index });
    }
    return all;
  }

  function colour() {
    paint.textContent = "";
    tokens(area.value).forEach(function (t, i, all) {
      var kind = t.kind;
      if (kind === "name") {
        var next = all[i + 1] && all[i + 1].kind === "space" ? all[i + 2] : all[i + 1];
        if (keywords[t.text]) kind = "keyword";
        else if (next && next.text === ":") kind = "argument";
        else if (schema && schema[t.text] && schema[t.text].kind !== "OBJECT") kind = "type";
      }
      if (kind === "space" || kind === "mark" || kind === "name" || kind === "spread") {
        paint.appendChild(document.createTextNode(t.text));
        return;
      }
      var span = document.createElement("span");
      span.className = "c-" + kind;
      span.textContent = t.text;
      paint.appendChild(span);
    });
    paint.appendChild(document.createTextNode("\n")); // a last empty line has its height
    follow();
  }

  function follow() {
    paint.scrollTop = area.scrollTop;
    paint.scrollLeft = area.scrollLeft;
  }

  // load reads the schema once; without it the editor only colours.
  function load() {
    if (load.begun) return;
    load.begun = true;
    var type = "type { kind name ofType { kind name ofType { kind name ofType { kind name } } } }";
    var query = "{ __schema { queryType { name } mutationType { name } types { kind name fields { name description args { name description " + type + " } " + type + " } inputFields { name description " + type + " } enumValues { name description } } directives { name description locations args { name description " + type + " } } } }";
    fetch("/graphql", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ query: query }), credentials: "omit" }).then(function (response) { return response.json(); }).then(function (answer) {
      var read = {};
      answer.data.__schema.types.forEach(function (t) { read[t.name] = t; });
      read[" query"] = read[answer.data.__schema.queryType.name];
      read[" mutation"] = read[answer.data.__schema.mutationType.name];
      directives = answer.data.__schema.directives.filter(function (d) { return d.locations.indexOf("FIELD") >= 0; }).map(function (d) {
        return { name: "@" + d.name, description: d.description, args: d.args };
      });
      schema = read;
      area.setAttribute("data-schema", "loaded");
      colour();
    }).catch(function () { load.begun = false; });
  }

  function named(type) {
    while (type && type.ofType) type = type.ofType;
    return type && schema[type.name];
  }

  function written(type) {
    if (!type) return "";
    if (type.kind === "NON_NULL") return written(type.ofType) + "!";
    return type.kind === "LIST" ? "[" + written(type.ofType) + "]" : type.name;
  }

  function member(members, name) {
    return (members || []).find(function (m) { return m.name === name; });
  }

  // fields are those of a type, with those that every type has, and the root of queries.
  function fields(type) {
    if (!type) return [];
    var meta = [{ name: "__typename", description: "The name of the type." }];
    if (type === schema[" query"]) meta.push({ name: "__schema", type: { kind: "OBJECT", name: "__Schema" } }, { name: "__type", type: { kind: "OBJECT", name: "__Type" }, args: [{ name: "name", type: { kind: "SCALAR", name: "String" } }] });
    return (type.fields || []).concat(meta);
  }

  // defined are the names that the pattern finds in the document, each once.
  function defined(pattern, mark) {
    var found = {};
    var match;
    while ((match = pattern.exec(area.value)) !== null) found[mark + match[1]] = 1;
    return Object.keys(found).map(function (name) { return { name: name }; });
  }

  // place reads the text before the cursor and returns what may stand there, where the word begins with a mark ($ or @)
  // or with none: the members of a type, and of what kind.
  function place(text, mark) {
    var stack = [];
    var root = schema[" query"];
    var field = null;
    var argument = null;
    var last = null;
    tokens(text).forEach(function (t) {
      if (t.kind === "space" || t.kind === "comment" || t.text === ",") return;
      var top = stack[stack.length - 1];
      if (!top) {
        if (t.text === "mutation") root = schema[" mutation"];
        if (t.text === "query") root = schema[" query"];
      }
      if (t.text === "{") {
        if (top && top.kind === "arguments" || top && top.kind === "input") stack.push({ kind: "input", type: named(argument && argument.type), back: argument });
        else if (last && last.kind === "name" && last.on) stack.push({ kind: "fields", type: schema[last.text] || (top && top.type) });
        else stack.push({ kind: "fields", type: top ? named(field && field.type) : root });
        field = argument = null;
      } else if (t.text === "(") {
        var directive = last && last.kind === "directive" && member(directives, last.text);
        stack.push(top ? { kind: "arguments", of: directive || field, field: field } : { kind: "variables" });
        argument = null;
      } else if (t.text === "}" || t.text === ")") {
        var ended = stack.pop();
        if (ended && ended.kind === "arguments") field = ended.field;
        argument = null;
        if (!stack.length) root = schema[" query"];
      } else if (t.kind === "name" && top && top.kind === "fields") {
        t.on = last && last.text === "on";
        if (!t.on && t.text !== "on") field = member(fields(top.type), t.text);
      } else if (t.kind === "name" && top && (top.kind === "arguments" || top.kind === "input") && !(last && last.text === ":")) {
        argument = member(top.kind === "input" ? top.type && top.type.inputFields : top.of && top.of.args, t.text);
      } else if (t.kind === "name" && !top) {
        t.on = last && last.text === "on";
      }
      last = t;
    });
    var top = stack[stack.length - 1];
    if (mark === "@") return top && top.kind === "fields" ? directives : [];
    if (mark === "$") return top && (top.kind === "arguments" || top.kind === "input") ? defined(/\$([A-Za-z_]\w*)\s*:/g, "$") : [];
    if (last && last.text === "on") return Object.keys(schema).filter(function (n) { return /OBJECT|INTERFACE|UNION/.test(schema[n].kind) && !/INPUT/.test(schema[n].kind) && /^[A-Za-z]/.test(n); }).map(function (n) { return schema[n]; });
    if (!top) return [{ name: "query", description: "Reads." }, { name: "mutation", description: "Changes." }, { name: "fragment", description: "Fields that are asked for in several places." }];
    if (top.kind === "fields") return last && last.text === "..." ? [{ name: "on", description: "Only for one type." }].concat(defined(/\bfragment\s+([A-Za-z_]\w*)/g, "")) : fields(top.type);
    if (top.kind === "variables") return last && last.text === ":" ? Object.keys(schema).filter(function (n) { return /SCALAR|ENUM|INPUT/.test(schema[n].kind) && n[0] !== "_"; }).map(function (n) { return schema[n]; }) : [];
    if (last && last.text === ":") {
      var type = named(argument && argument.type);
      if (type && type.name === "Boolean") return [{ name: "true" }, { name: "false" }];
      return type && type.enumValues || [];
    }
    return (top.kind === "input" ? top.type && top.type.inputFields : top.of && top.of.args) || [];
  }

  function complete(asked) {
    if (!schema) { load(); return; }
    var at = area.selectionStart;
    var before = area.value.slice(0, at);
    var word = /[$@]?[A-Za-z_]\w*$|[$@]$/.exec(before);
    var part = word ? word[0] : "";
    var inside = tokens(before).pop();
    if (inside && (inside.kind === "comment" || inside.kind === "string") || !asked && !part) return close();
    from = at - part.length;
    var beginning = part.toLowerCase();
    var all = place(area.value.slice(0, from), /^[$@]/.test(part) ? part[0] : "").filter(function (m) { return m.name.toLowerCase().indexOf(beginning) >= 0 && m.name !== part; });
    all.sort(function (a, b) { return a.name.toLowerCase().indexOf(beginning) - b.name.toLowerCase().indexOf(beginning); });
    open(all.slice(0, 12));
  }

  function open(all) {
    shown = all;
    list.textContent = "";
    if (!all.length) return close();
    all.forEach(function (m, i) {
      var option = document.createElement("li");
      option.id = "completion-" + i;
      option.setAttribute("role", "option");
      var name = document.createElement("code");
      name.textContent = m.name;
      option.appendChild(name);
      var about = document.createElement("span");
      about.textContent = [m.type ? written(m.type) : "", (m.description || "").split(/\n|\. /)[0]].filter(Boolean).join(" · ");
      option.appendChild(about);
      option.addEventListener("mousedown", function (event) { event.preventDefault(); take(i); });
      list.appendChild(option);
    });
    list.hidden = false;
    choose(0);
    if (window.florinSay) window.florinSay(all.length === 1 ? "1 completion" : all.length + " completions");
  }

  function close() {
    shown = [];
    chosen = -1;
    list.hidden = true;
    area.removeAttribute("aria-activedescendant");
  }

  function choose(i) {
    chosen = (i + shown.length) % shown.length;
    Array.prototype.forEach.call(list.children, function (option, n) { option.setAttribute("aria-selected", n === chosen ? "true" : "false"); });
    area.setAttribute("aria-activedescendant", "completion-" + chosen);
    list.children[chosen].scrollIntoView({ block: "nearest" });
  }

  function take(i) {
    var text = shown[i].name;
    area.setRangeText(text, from, area.selectionStart, "end");
    close();
    colour();
    area.focus();
  }

  area.addEventListener("keydown", function (event) {
    if (event.key === " " && event.ctrlKey) {
      event.preventDefault();
      complete(true);
    } else if (shown.length && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      choose(chosen + (event.key === "ArrowDown" ? 1 : -1));
    } else if (shown.length && event.key === "Enter" && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      took = true;
      take(chosen);
    } else if (shown.length && event.key === "Escape") {
      event.preventDefault();
      close();
    }
  });
  area.addEventListener("input", function (event) {
    colour();
    if (event.inputType === "insertText") complete(false);
    else close();
  });
  area.addEventListener("beforeinput", function (event) {
    if (took && event.inputType === "insertLineBreak") event.preventDefault();
  });
  area.addEventListener("keyup", function () { took = false; });
  area.addEventListener("focus", load);
  area.addEventListener("blur", close);
  area.addEventListener("click", close);
  area.addEventListener("scroll", follow);
  area.addEventListener("editor:changed", function () { close(); colour(); });
  colour();
})();
