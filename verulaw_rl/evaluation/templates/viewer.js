// The grid of instances and runs, filters, and one episode turn by turn. Parts are unpacked when they are needed.
const INDEX = JSON.parse(document.getElementById("index").textContent);
const ROWS_SHOWN = 100;
const byId = id => document.getElementById(id);
const make = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children.map(c => c instanceof Node ? c : String(c)));
  return element;
};
const number = (v, digits = 2) => v === null || v === undefined ? "none" : v.toFixed(digits);

const EPISODES = INDEX.episodes.map(([run, instance, sample, kind, reward, ratio, turns, submissions, end, found, part, at], n) =>
  ({ n, run, instance, sample, kind, reward, ratio, turns, submissions, end, found, part, at, name: INDEX.instances[instance][0] }));
const OF_INSTANCE = new Map();
for (const e of EPISODES) OF_INSTANCE.set(e.instance, [...(OF_INSTANCE.get(e.instance) || []), e]);

const unpacked = new Map();
async function part(number) {
  if (!unpacked.has(number)) {
    const bytes = Uint8Array.from(atob(byId(`part-${number}`).textContent), c => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    unpacked.set(number, new Response(stream).json());
    if (unpacked.size > 12) unpacked.delete(unpacked.keys().next().value);
  }
  return unpacked.get(number);
}

// Filters live in the address, so that what is seen can be sent to somebody.
const FILTERS = ["q", "kind", "run", "family", "deep", "differ"];
let shown = ROWS_SHOWN, chosen = null, matching = null, order = [];

const state = () => Object.fromEntries(FILTERS.map(name => {
  const input = byId(`filter-${name}`);
  return [name, input ? (input.type === "checkbox" ? (input.checked ? "1" : "") : input.value.trim()) : ""];
}).filter(([, value]) => value));

function writeAddress() {
  const words = new URLSearchParams(state());
  if (chosen !== null) {
    const e = EPISODES[chosen];
    words.set("episode", `${e.run}/${e.sample}/${e.name}`);
  }
  history.replaceState(null, "", `#${words}`);
}

function readAddress() {
  const words = new URLSearchParams(location.hash.slice(1));
  for (const name of FILTERS) {
    const input = byId(`filter-${name}`);
    if (input?.type === "checkbox") input.checked = words.get(name) === "1";
    else if (input) input.value = words.get(name) || "";
  }
  const [run, sample, ...name] = (words.get("episode") || "").split("/");
  const found = EPISODES.find(e => e.name === name.join("/") && e.run === +run && e.sample === +sample);
  chosen = found ? found.n : null;
}

async function filter() {
  const s = state(), asked = (s.q || "").toLowerCase();
  let inTurns = null;
  if (asked && s.deep) {
    inTurns = new Set();
    for (let p = 0; byId(`part-${p}`); p++) {
      const { episodes } = await part(p);
      episodes.forEach((e, at) => { if (JSON.stringify(e.turns).toLowerCase().includes(JSON.stringify(asked).slice(1, -1))) inTurns.add(`${p}/${at}`); });
    }
  }
  const fits = e => (!s.kind || e.kind === s.kind) && (!s.run || e.run === +s.run)
    && (!s.family || INDEX.instances[e.instance][1] === s.family)
    && (!asked || e.name.toLowerCase().includes(asked) || e.end.includes(asked)
      || e.found.some(f => f.toLowerCase().includes(asked)) || inTurns?.has(`${e.part}/${e.at}`));
  const differs = own => new Set(own.map(e => e.kind === "verified")).size > 1;
  matching = new Set(EPISODES.filter(fits).map(e => e.n));
  order = [...OF_INSTANCE.keys()].filter(i => OF_INSTANCE.get(i).some(e => matching.has(e.n)) && (!s.differ || differs(OF_INSTANCE.get(i))));
}

function showGrid() {
  const rows = order.slice(0, shown).map(instance => {
    const [name, family] = INDEX.instances[instance];
    const cells = INDEX.runs.map((_, run) => make("td", {}, ...OF_INSTANCE.get(instance).filter(e => e.run === run).map(cell)));
    return make("tr", {}, make("th", { scope: "row", class: "name" }, name, ...(family ? [" ", make("small", { class: "muted" }, family)] : [])), ...cells);
  });
  byId("grid").replaceChildren(...rows);
  byId("more").hidden = order.length <= shown;
  const episodes = order.reduce((sum, i) => sum + OF_INSTANCE.get(i).filter(e => matching.has(e.n)).length, 0);
  byId("count").textContent = `${episodes} of ${EPISODES.length} episodes, ${order.length} of ${INDEX.instances.length} instances`;
}

function cell(e) {
  const ratio = e.kind === "failed" && e.ratio !== null ? ` ${number(e.ratio)}` : "";
  const words = { verified: "✓", failed: "✗", timeout: "time", specification: "spec", proof: "escape", nothing: "–", unscorable: "?" }[e.kind];
  const label = `${INDEX.runs[e.run]}, ${e.name}${e.sample ? `, sample ${e.sample}` : ""}: ${INDEX.kinds[e.kind]}`;
  const button = make("button", { type: "button", class: `cell ${e.kind}`, "aria-label": label, title: `${INDEX.kinds[e.kind]}, reward ${number(e.reward)}`, "data-n": e.n }, words + ratio);
  if (!matching.has(e.n)) button.style.opacity = ".4";
  if (e.n === chosen) button.setAttribute("aria-current", "true");
  return button;
}

/** Lines of both programs, each once, by a longest common subsequence between what differs at neither end. */
function diff(given, program) {
  const [a, b] = [given, program].map(text => text.replace(/\s+$/, "").split("\n"));
  let head = 0, tail = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const n = a.length - head - tail, m = b.length - head - tail, big = n * m > 4e6;
  const best = big ? null : Array.from({ length: n + 1 }, () => new Uint16Array(m + 1));
  if (!big) for (let i = n - 1; i >= 0; i--) for (let j = m - 1; j >= 0; j--)
    best[i][j] = a[head + i] === b[head + j] ? best[i + 1][j + 1] + 1 : Math.max(best[i + 1][j], best[i][j + 1]);
  const out = a.slice(0, head).map((text, k) => [" ", k + 1, text]);
  let i = 0, j = 0;
  while (i < n || j < m) {
    if (!big && i < n && j < m && a[head + i] === b[head + j]) { out.push([" ", head + j + 1, b[head + j]]); i++; j++; }
    else if (i < n && (big || j >= m || best[i + 1][j] >= best[i][j + 1])) { out.push(["-", head + i + 1, a[head + i]]); i++; }
    else { out.push(["+", head + j + 1, b[head + j]]); j++; }
  }
  for (let k = tail; k > 0; k--) out.push([" ", b.length - k + 1, b[b.length - k]]);
  return out;
}

const GONE = /_(missing|removed)$/;
function program(t, given) {
  const notes = new Map();
  const note = (side, line, name, text) => notes.set(side + line, [...(notes.get(side + line) || []), [name, text]]);
  (t.said || []).forEach(([line, severity, text, category]) => note("b", line, severity, `${category ? `${category}: ` : ""}${text}`));
  (t.found || []).forEach(([line, kind, construct, text, advice]) => note(GONE.test(construct) ? "a" : "b", line, "error", `audit, ${kind}: ${text}. ${advice}`));
  const box = make("pre", { tabindex: 0, "aria-label": "Program, as a diff against the given" });
  for (const [sign, line, text] of diff(given ?? t.program, t.program)) {
    const name = { "+": "line add", "-": "line del", " ": "line" }[sign];
    box.append(make("span", { class: name }, `${sign}${String(line).padStart(4)}  ${text}`));
    const at = (sign === "-" ? "a" : "b") + line;
    for (const [severity, said] of notes.get(at) || []) box.append(make("span", { class: `note ${severity}`, role: "note" }, said));
    notes.delete(at);
  }
  for (const [at, left] of notes) for (const [severity, said] of left) box.append(make("span", { class: `note ${severity}`, role: "note" }, `line ${at.slice(1)}: ${said}`));
  return box;
}

function turn(t, number_, given) {
  const what = t.invalid ? `no valid action (${t.invalid})` : t.action || "cut off";
  const box = make("section", { class: "turn", "aria-label": `Turn ${number_}` }, make("h3", {}, `Turn ${number_}: ${what}${t.unchanged ? ", unchanged" : ""}`));
  if (t.status) {
    const parts = Object.entries(t.components || {}).map(([k, v]) => `${k} ${number(v)}`).join(", ");
    const score = t.score === undefined ? "" : `; score ${number(t.score)}${parts ? ` (${parts})` : ""}`;
    box.append(make("p", { class: t.verified ? "good" : "" }, `${t.status}: ${t.summary || "no summary"}${score}${t.assisted === undefined ? "" : `; assisted ${number(t.assisted)}`}`));
  }
  const list = (title, all) => {
    if (!all?.length) return;
    const held = all.filter(([, ok]) => ok).length;
    box.append(make("details", {}, make("summary", {}, `${title}: ${held} of ${all.length} hold`),
      make("ul", {}, ...all.map(([id, ok, reason]) => make("li", { class: ok ? "good" : "bad" }, `${id}: ${ok ? "holds" : reason || "open"}`)))));
  };
  if (t.program !== undefined) box.append(program(t, given));
  if (t.completed !== undefined) box.append(make("details", {}, make("summary", {}, "As the specialist completed it"),
    program({ program: t.completed }, t.program)));
  list("Obligations", t.obligations);
  list("Hidden probes", t.probes);
  const plain = (title, text) => text && box.append(make("details", {}, make("summary", {}, title), make("pre", { tabindex: 0 }, text)));
  plain("What the policy wrote", t.text);
  plain("What it was told", t.told);
  return box;
}

async function showEpisode(move) {
  const box = byId("episode");
  box.hidden = chosen === null;
  document.querySelectorAll(".cell[aria-current]").forEach(c => c.removeAttribute("aria-current"));
  if (chosen === null) return;
  const e = EPISODES[chosen];
  document.querySelector(`[data-n="${e.n}"]`)?.setAttribute("aria-current", "true");
  const data = await part(e.part), own = data.episodes[e.at], [given, reference] = data.texts[e.name] || [];
  if (chosen !== e.n) return;
  byId("episode-title").textContent = `${e.name}${e.sample ? `, sample ${e.sample}` : ""}: ${INDEX.kinds[e.kind]}`;
  const tokens = Object.entries(own.tokens || {}).map(([k, v]) => `${v} ${k}`).join(", ");
  byId("episode-facts").textContent = [INDEX.runs[e.run], own.policy, `reward ${number(e.reward)}`, `ended: ${e.end}`,
    `${e.turns} turns, ${e.submissions} submissions`, own.tools.join(" + "), `seed ${own.seed}`, tokens && `tokens: ${tokens}`].filter(Boolean).join(" · ");
  byId("turns").replaceChildren(...own.turns.map((t, k) => turn(t, k + 1, given)));
  const text = (title, body) => body && byId("turns").append(make("details", { class: "turn" }, make("summary", {}, title), make("pre", { tabindex: 0 }, body)));
  text("The given program", given);
  text("The hidden reference", reference);
  writeAddress();
  if (move) { box.focus({ preventScroll: true }); box.scrollIntoView({ block: "start" }); }
}

function step(by) {
  const all = order.flatMap(i => OF_INSTANCE.get(i).filter(e => matching.has(e.n)).map(e => e.n));
  if (!all.length) return;
  const at = all.indexOf(chosen);
  chosen = all[(at < 0 ? (by > 0 ? 0 : all.length - 1) : at + by + all.length) % all.length];
  showEpisode(true);
}

let waiting = null;
function filtersChanged() {
  clearTimeout(waiting);
  waiting = setTimeout(async () => { shown = ROWS_SHOWN; await filter(); showGrid(); writeAddress(); }, 120);
}

byId("filters").addEventListener("input", filtersChanged);
byId("filters").addEventListener("submit", event => event.preventDefault());
byId("grid").addEventListener("click", event => {
  const button = event.target.closest("[data-n]");
  if (button) { chosen = +button.dataset.n; showEpisode(true); }
});
byId("more").addEventListener("click", () => { shown += ROWS_SHOWN; showGrid(); });
byId("previous").addEventListener("click", () => step(-1));
byId("next").addEventListener("click", () => step(1));
byId("close").addEventListener("click", leave);
function leave() {
  const was = chosen;
  chosen = null;
  showEpisode(false);
  writeAddress();
  (document.querySelector(`[data-n="${was}"]`) || byId("filter-q")).focus();
}
document.addEventListener("keydown", event => {
  if (event.target.closest("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "j") step(1);
  else if (event.key === "k") step(-1);
  else if (event.key === "Escape" && chosen !== null) leave();
  else if (event.key === "/") { event.preventDefault(); byId("filter-q").focus(); }
});
addEventListener("hashchange", () => start());

async function start() {
  readAddress();
  await filter();
  showGrid();
  await showEpisode(chosen !== null);
}
const option = (select, value, text) => byId(select)?.append(make("option", { value }, text));
Object.entries(INDEX.kinds).forEach(([name, words]) => EPISODES.some(e => e.kind === name) && option("filter-kind", name, words));
INDEX.runs.forEach((name, run) => option("filter-run", run, name));
[...new Set(INDEX.instances.map(i => i[1]))].sort().forEach(name => name && option("filter-family", name, name));
byId("families").hidden = byId("filter-family").length < 2;
start();
