// SPDX-License-Identifier: Apache-2.0
// The page of the gateway. Replies are hostile text: nothing is inserted but
// by textContent, and there is no HTML here.
"use strict";

const by = id => document.getElementById(id);
const SLOWEST_MS = 60000;
const views = ["overview", "runs", "run", "bench"];
let view = "";
let timer = 0;
let asked = 0; // the newest question whose answer is shown

/* ---- making elements ---------------------------------------------------- */

function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {}))
    element.setAttribute(name, value);
  for (const child of children)
    if (child !== null && child !== undefined)
      element.append(child); // a text becomes a text node
  return element;
}

// What has not changed stays, with its focus; a link that is there again gets
// the focus back.
function fill(id, ...children) {
  const old = by(id);
  const same = old.childNodes.length === children.length &&
    children.every((child, i) => child.isEqualNode(old.childNodes[i]));
  const held = old.contains(document.activeElement) &&
               document.activeElement.getAttribute("href");
  if (same)
    return;
  old.replaceChildren(...children);
  if (held)
    [...old.querySelectorAll("a")]
      .find(link => link.getAttribute("href") === held)?.focus();
}

function say(id, text) { // a screen reader reads what is written, so once
  if (by(id).textContent !== text)
    by(id).textContent = text;
}

function empty(text) {
  return make("p", {class: "empty"}, text);
}

// columns: [title, cell of a row, is a number]
function table(caption, columns, rows) {
  const head = make("tr");
  const body = make("tbody");
  for (const [title, , number] of columns)
    head.append(make("th", {scope: "col", class: number ? "number" : ""},
                     title));
  for (const row of rows) {
    const line = make("tr");
    for (const [title, cell, number] of columns)
      line.append(make("td", {"data-label": title,
                              class: number ? "number" : ""}, cell(row)));
    body.append(line);
  }
  return make("div", {class: "table"},
              make("table", {"aria-label": caption},
                   make("thead", null, head), body));
}

/* ---- words and numbers -------------------------------------------------- */

const count = number => number.toLocaleString("en");
const share = (part, all) =>
  all ? (100 * part / all).toFixed(part === all || !part ? 0 : 1) + " %" : "–";

function money(pico, unknown) {
  const dollars = pico / 1e12;
  if (unknown && !pico)
    return "unknown";
  return "$" + dollars.toFixed(dollars && dollars < 0.1 ? 4 : 2) +
         (unknown ? "+" : "");
}

function span(ms) {
  if (ms < 1000)
    return Math.round(ms) + " ms";
  return ms < 60000 ? (ms / 1000).toFixed(1) + " s"
                    : Math.round(ms / 60000) + " min";
}

function moment(ms) {
  const date = new Date(ms);
  const today = date.toDateString() === new Date().toDateString();
  const text = today ? date.toLocaleTimeString("en-GB")
                     : date.toLocaleDateString("en-CA") + " " +
                       date.toLocaleTimeString("en-GB").slice(0, 5);
  return make("time", {datetime: date.toISOString()}, text);
}

function word(ending, tries) {
  const names = {provider: "provider failed", validator: "validator failed"};
  const text = ending === "valid" && tries > 1 ? `valid at try ${tries}`
                                               : names[ending] || ending;
  return make("span", {class: "word " + ending}, text);
}

const path = text => make("code", null, text || "(root)");
const named = text => text || "(none)";

/* ---- asking ------------------------------------------------------------- */

async function ask(question, body) {
  const response = await fetch("/ui/api/" + question, {
    method: "POST",
    headers: {"Content-Type": "application/json"},
    body: JSON.stringify(body || {})
  });
  const text = await response.text();
  let answer = {error: {message: text.trim()}};
  if ((response.headers.get("Content-Type") || "").includes("json"))
    answer = JSON.parse(text);
  if (!response.ok && response.status !== 422)
    throw new Error([answer.error.message, answer.error.hint]
      .filter(Boolean).join(": "));
  return answer;
}

function notice(text) {
  by("notice").hidden = !text;
  say("notice", text);
}

function filters() {
  const since = Number(by("since").value);
  const body = {since_ms: since ? Date.now() - since : 0};
  for (const id of ["model", "contract", "ending"])
    body[id] = by(id).value;
  return body;
}

const LEDGER_OFF = "The ledger is off, so nothing is kept that this page " +
  "could show. Start the gateway with a ledger (--ledger FILE). Requests " +
  "under way and the bench work without it.";

/* ---- the overview ------------------------------------------------------- */

function shares(sums) {
  const again = sums.valid - sums.first_try;
  const bar = make("div", {
    class: "shares", role: "img",
    "aria-label": `${share(sums.first_try, sums.runs)} valid at the first ` +
      `try, ${share(again, sums.runs)} after re-asks, ` +
      `${share(sums.runs - sums.valid, sums.runs)} not valid`});
  for (const [kind, part] of [["first", sums.first_try], ["again", again],
                              ["none", sums.runs - sums.valid]]) {
    const piece = make("span", {class: kind});
    piece.style.flexGrow = part;
    if (part)
      bar.append(piece);
  }
  return bar;
}

function tile(name, value, more) {
  return make("dl", {class: "tile"}, make("dt", null, name),
              make("dd", null, value, make("small", null, more)));
}

function showSums(total) {
  const again = total.valid - total.first_try;
  const bad = total.runs - total.valid;
  fill("tiles",
       tile("Requests", count(total.runs), count(total.calls) + " calls"),
       tile("Valid at first try", share(total.first_try, total.runs),
            count(total.first_try)),
       tile("After re-asks", share(again, total.runs), count(again)),
       tile("Not valid", share(bad, total.runs), count(bad)),
       tile("Cost", money(total.cost_picousd, total.cost_unknown_calls),
            count(total.input_tokens + total.output_tokens) + " tokens"),
       tile("Latency of a call",
            total.answered_calls ? span(total.median_ms) : "–",
            total.answered_calls ? "95th percentile " + span(total.p95_ms) : "none"));
  const legend = make("ul", {class: "legend"});
  for (const [kind, text] of [["first", "valid at first try"],
                              ["again", "after re-asks"],
                              ["none", "not valid"]])
    legend.append(make("li", null, make("i", {class: kind}), text));
  fill("share", shares(total), legend);
}

// The models with most of the replies, and how many others there are.
function models(issue) {
  const most = issue.models.slice(0, 3).map(
    one => `${one.model} (${count(one.replies)})`);
  const others = issue.models.length - most.length +
                 (issue.models_left_out_replies ? 1 : 0);
  return most.join(", ") + (others ? `, ${count(others)} more` : "");
}

function remember(id, values) {
  const select = by(id);
  const known = new Set([...select.options].map(option => option.value));
  for (const value of new Set(values))
    if (value && !known.has(value))
      select.append(make("option", {value}, value));
}

function showStats(stats) {
  showSums(stats.total);
  remember("model", stats.groups.map(group => group.key.model));
  remember("contract", stats.groups.map(group => group.key.contract));
  fill("groups", stats.groups.length ? table("By model and contract", [
    ["Model", group => group.key.model],
    ["Contract", group => named(group.key.contract)],
    ["Runs", group => count(group.runs), true],
    ["Outcome", shares],
    ["First try", group => share(group.first_try, group.runs), true],
    ["Re-asked", group => share(group.valid - group.first_try, group.runs),
     true],
    ["Not valid", group => share(group.runs - group.valid, group.runs), true],
    ["Cost", group => money(group.cost_picousd, group.cost_unknown_calls),
     true],
    ["Median", group => group.answered_calls ? span(group.median_ms) : "–",
     true],
    ["p95", group => group.answered_calls ? span(group.p95_ms) : "–", true]
  ], stats.groups) : empty("No request in this time. Send one to " +
                           location.origin + "/v1, and it appears here."));
  fill("errors", stats.errors.listed.length ? table("What fails most", [
    ["Contract", error => named(error.contract)],
    ["Path", error => path(error.path)],
    ["Keyword", error => error.keyword],
    ["Models", models],
    ["Replies", error => count(error.replies), true],
    ["Runs", error => count(error.runs), true],
    ["Corrected", error => share(error.corrected, error.runs), true]
  ], stats.errors.listed) : empty("No reply broke its contract."));
  fill("repairs", stats.repairs.listed.length ? table("What was repaired", [
    ["Contract", repair => named(repair.contract)],
    ["Path", repair => path(repair.path)],
    ["Repair", repair => repair.kind],
    ["Models", models],
    ["Replies", repair => count(repair.replies), true],
    ["Valid", repair => share(repair.valid, repair.runs), true]
  ], stats.repairs.listed) : empty("No reply was repaired."));
}

async function overview() {
  const answer = await ask("overview", filters());
  notice(answer.ledger ? "" : LEDGER_OFF);
  for (const id of ["tiles", "share", "groups", "errors", "repairs"])
    if (!answer.ledger)
      fill(id);
  for (const heading of by("overview").querySelectorAll("h2"))
    heading.hidden = !answer.ledger && heading.textContent !== "Under way";
  by("filters").hidden = !answer.ledger;
  if (answer.ledger)
    showStats(answer.stats);
}

async function now() {
  const {requests} = await ask("now");
  say("live", requests.length ? `${count(requests.length)} under way`
                              : "idle");
  by("live").classList.toggle("busy", requests.length > 0);
  fill("now", requests.length ? table("Under way", [
    ["Model", request => request.model],
    ["Contract", request => named(request.contract)],
    ["Client", request => request.protocol + (request.stream ? ", stream"
                                                             : "")],
    ["Calls", request => count(request.attempts), true],
    ["For", request => span(request.age_ms), true]
  ], requests.slice(0, 50)) : empty("No request is under way."));
}

/* ---- runs --------------------------------------------------------------- */

async function runs() {
  const answer = await ask("runs", filters());
  notice(answer.ledger ? "" : LEDGER_OFF);
  by("filters").hidden = !answer.ledger;
  if (!answer.ledger)
    return fill("list");
  remember("model", answer.runs.map(run => run.model));
  remember("contract", answer.runs.map(run => run.contract));
  fill("list", answer.runs.length ? table("The newest runs", [
    ["Started", run => make("a", {href: "#run/" + run.run},
                            moment(run.started_ms))],
    ["Ended", run => word(run.ending, run.tries)],
    ["Contract", run => named(run.contract)],
    ["Model", run => run.model],
    ["Calls", run => count(run.calls), true],
    ["Errors", run => count(run.errors), true],
    ["Tokens", run => count(run.tokens), true],
    ["Cost", run => money(run.cost_picousd || 0, run.cost_picousd === null),
     true],
    ["Took", run => run.ended_ms ? span(run.ended_ms - run.started_ms) : "–",
     true]
  ], answer.runs) : empty("No run in this time that fits the filters."));
}

/* ---- a reply with its errors underlined --------------------------------- */

// Issues have places in bytes of UTF-8.
function underlined(reply, issues) {
  const bytes = new TextEncoder().encode(reply);
  const decoder = new TextDecoder();
  const placed = issues.filter(issue => issue.start !== null &&
                                        issue.start <= bytes.length);
  const ends = new Set([0, bytes.length]);
  for (const issue of placed)
    ends.add(issue.start).add(Math.min(issue.end, bytes.length));
  const edges = [...ends].sort((a, b) => a - b);
  const shown = make("pre", {tabindex: "0", "aria-label": "The reply"});
  const says = list => list.map(issue => issue.message).join("; ");
  for (const [i, at] of edges.entries()) {
    const points = placed.filter(issue => issue.start === at &&
                                          issue.end <= at);
    if (points.length)
      shown.append(make("mark", {class: "caret", title: says(points)}));
    if (i + 1 === edges.length)
      break;
    const text = decoder.decode(bytes.subarray(at, edges[i + 1]));
    const over = placed.filter(issue => issue.start <= at && issue.end > at);
    shown.append(over.length ? make("mark", {title: says(over)}, text) : text);
  }
  return shown;
}

function issueList(issues, repairs) {
  const list = make("ul", {class: "issues"});
  for (const issue of issues)
    list.append(make("li", {class: issue.severity || "error"}, issue.message,
                     make("span", {class: "at"},
                          [issue.keyword, issue.path || "(root)",
                           issue.line ? `line ${issue.line}, column ` +
                                        issue.column : null, issue.hint]
                            .filter(Boolean).join(" · "))));
  for (const repair of repairs)
    list.append(make("li", {class: "repair"}, "Repaired: " + repair.kind +
                     (repair.message ? ", " + repair.message : ""),
                     make("span", {class: "at"},
                          [repair.confidence, repair.path, repair.original &&
                           `${repair.original} → ${repair.read || "nothing"}`,
                           repair.line && `line ${repair.line}, column ` +
                                          repair.column]
                            .filter(Boolean).join(" · "))));
  return list;
}

function attemptWord(attempt) {
  if (attempt.ok)
    return word("valid");
  if (attempt.state === "open")
    return word("open");
  if (attempt.purpose === "tool")
    return word(attempt.failure ? "failed" : "done");
  if (attempt.state !== "done")
    return word(attempt.failure || attempt.state);
  return word(attempt.contract ? attempt.fallback ? "fallback" : "rejected"
                               : "valid");
}

function attemptCard(attempt) {
  const facts = make("p", {class: "facts"});
  for (const fact of [
    `${attempt.provider}: ${attempt.model}`, attempt.mode,
    attempt.ended_ms && span(attempt.ended_ms - attempt.started_ms),
    attempt.first_byte_ms && "first byte after " +
      span(attempt.first_byte_ms - attempt.started_ms),
    attempt.input_tokens !== null && count(attempt.input_tokens) + " in, " +
      count(attempt.output_tokens) + " out" +
      (attempt.estimated ? " (estimated)" : ""),
    attempt.cost_picousd !== null && money(attempt.cost_picousd),
    attempt.http_status && "HTTP " + attempt.http_status,
    attempt.key, attempt.tag])
    if (fact)
      facts.append(make("span", null, fact));
  const card = make("article", {class: "attempt"},
    make("h2", null, `${attempt.number}. ${attempt.purpose}`,
         attemptWord(attempt)), facts);
  if (attempt.decision)
    card.append(make("p", {class: "decision"}, attempt.decision));
  if (attempt.error)
    card.append(make("p", {class: "decision"}, attempt.error));
  card.append(make("h3", null, "Reply"));
  card.append(attempt.reply === null
    ? empty(attempt.state === "open" ? "It is still coming." :
            "The ledger keeps no texts: \"raw\": true of the ledger in " +
            "surety.json keeps them.")
    : underlined(attempt.reply, attempt.errors));
  if (attempt.reply !== null && attempt.reply_bytes > 262144)
    card.append(make("p", {class: "quiet"}, "Only the beginning of " +
                     `${count(attempt.reply_bytes)} bytes is shown.`));
  if (attempt.errors.length || attempt.repairs.length)
    card.append(issueList(attempt.errors, attempt.repairs));
  if (attempt.prompt !== null)
    card.append(make("details", null, make("summary", null, "Prompt"),
                     make("pre", {tabindex: "0"}, attempt.prompt)));
  return card;
}

async function run(id) {
  fill("attempts");
  by("run-title").textContent = "Run " + id;
  const answer = await ask("run", {run: id});
  if (!answer.ledger)
    return notice(LEDGER_OFF);
  const first = answer.attempts[0];
  by("run-title").replaceChildren(
    first.contract || "Without a contract", " at ", moment(first.started_ms));
  fill("attempts", make("p", {class: "facts mono"}, id),
       ...answer.attempts.map(attemptCard));
  if (answer.left)
    by("attempts").append(empty(`${count(answer.left)} more are not shown.`));
  by("run-title").focus();
}

/* ---- the bench ---------------------------------------------------------- */

async function bench() {
  if (by("named").options.length > 1)
    return;
  const {contracts} = await ask("contracts");
  remember("named", contracts.map(contract =>
    contract.version ? `${contract.name}@${contract.version}`
                     : contract.name));
}

function showReport(reply, answer) {
  const card = make("article", {class: "attempt"});
  if (answer.error) {
    const error = answer.error;
    card.append(make("h2", null, "The schema is refused"),
      issueList([{message: error.message, keyword: "schema", path: error.path,
                  line: error.line, column: error.column, hint: error.hint}],
                []));
    return fill("report", card);
  }
  const errors = answer.issues.filter(issue => issue.severity === "error");
  card.append(make("h2", null, answer.ok ? "The reply is valid"
    : `${count(errors.length)} error${errors.length === 1 ? "" : "s"}`,
    word(answer.ok ? "valid" : answer.fallback ? "fallback" : "rejected")));
  card.append(make("h3", null, "Reply"), underlined(reply, answer.issues));
  if (answer.issues.length || answer.repairs.length)
    card.append(issueList(answer.issues, answer.repairs));
  if (answer.value)
    card.append(make("h3", null, "Value"),
                make("pre", {tabindex: "0"}, answer.value));
  card.append(make("details", null,
    make("summary", null, "Report as JSON"),
    make("pre", {tabindex: "0"}, JSON.stringify(answer.report, null, 2))));
  fill("report", card);
}

async function check(event) {
  event.preventDefault();
  const reply = by("reply").value;
  const body = {reply, repair: by("repair").value};
  if (by("named").value)
    body.contract = by("named").value;
  else
    body.schema = by("schema").value || "{}";
  try {
    showReport(reply, await ask("check", body));
    notice("");
  } catch (error) {
    notice(String(error.message));
  }
}

/* ---- views and time ----------------------------------------------------- */

const shows = {overview, runs, run, bench};

function later(took) {
  clearTimeout(timer);
  // A large ledger is read at most a twentieth of the time.
  const wait = Math.min(SLOWEST_MS, Math.max(3000, 20 * took));
  timer = setTimeout(show, wait);
}

async function show() {
  const [name, id] = location.hash.slice(1).split("/");
  const next = shows[name] ? name : "overview";
  const moved = view !== next;
  const mine = ++asked;
  const begun = performance.now();
  view = next;
  for (const one of views)
    by(one).hidden = one !== view;
  by("filters").hidden = by("filters").hidden || view === "run" ||
                         view === "bench";
  by("ending-label").hidden = view !== "runs";
  for (const link of document.querySelectorAll("nav a"))
    if (link.hash === "#" + (view === "run" ? "runs" : view))
      link.setAttribute("aria-current", "page");
    else
      link.removeAttribute("aria-current");
  if (moved)
    notice("");
  try {
    if (view === "overview" || view === "runs" || moved ||
        by(view).dataset.id !== id) {
      by(view).dataset.id = id || "";
      await shows[view](id);
    }
    if (!document.hidden)
      await now();
  } catch (error) {
    notice(String(error.message));
  }
  if (mine === asked)
    later(performance.now() - begun);
}

addEventListener("hashchange", show);
addEventListener("visibilitychange", show);
by("filters").addEventListener("change", show);
by("check").addEventListener("submit", check);
by("check").addEventListener("keydown", event => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey))
    by("check").requestSubmit();
});
show();
