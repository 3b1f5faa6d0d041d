// What is shown and asked: sliders, figures, histograms, the ranking and one episode.
const START = { ...DATA.values }, values = { ...DATA.values };
const PAGE = 100;
let found = null, chosen = null, limit = PAGE;

const byId = id => document.getElementById(id);
function make(tag, attributes = {}, ...children) {
  const svg = ["svg", "rect", "text", "line", "title"].includes(tag);
  const element = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children.map(c => c instanceof Node ? c : String(c)));
  return element;
}
const figure = (v, digits = 3) => v === null ? "none" : v.toFixed(digits);
const signed = v => (v > 0 ? "+" : "") + v.toFixed(2);
const percent = v => v === null ? "none" : `${(100 * v).toFixed(1)} %`;

const TITLES = {
  "weights.annotation_repair": "Weights, annotation repair", "weights.code_generation": "Weights, code generation",
  "weights": "Bonus and penalties", "episode": "The episode",
};

function buildSliders() {
  const groups = new Map();
  for (const key of Object.keys(values)) {
    const parent = key.slice(0, key.lastIndexOf("."));
    groups.set(parent, [...(groups.get(parent) || []), key]);
  }
  for (const [parent, keys] of groups) {
    const set = make("fieldset", {}, make("legend", {}, TITLES[parent] || parent));
    const task = parent.split(".")[1];
    const used = DATA.episodes.some(e => e.turns.some(t => t.counts && t.counts.repair === (task === "annotation_repair")));
    if (task && !used) set.append(make("p", { class: "muted" }, "No episode of this task here."));
    keys.forEach(key => set.append(control(key)));
    byId("sliders").append(set);
  }
}

function control(key) {
  const name = key.slice(key.lastIndexOf(".") + 1).replaceAll("_", " "), id = `value-${key}`;
  if (typeof values[key] === "boolean") {
    const box = make("input", { type: "checkbox", id, "data-key": key });
    box.addEventListener("change", () => { values[key] = box.checked; changed(); });
    return make("div", { class: "slider" }, make("label", { for: id }, box, ` ${name}`));
  }
  const weight = /^weights\.\w+\.\w+$/.test(key), size = Math.abs(START[key]);
  const low = weight ? 0 : Math.min(-5, -2 * size), high = weight ? Math.max(1, 2 * size) : Math.max(5, 2 * size);
  const range = make("input", { type: "range", id, min: low, max: high, step: weight ? 0.01 : 0.05, "data-key": key });
  const exact = make("input", { type: "number", step: "any", "data-key": key, "aria-label": `${TITLES[key.slice(0, key.lastIndexOf("."))]}: ${name}, exact` });
  if (weight) exact.min = 0;
  const take = input => {
    const value = input.valueAsNumber;
    if (!Number.isFinite(value) || (weight && value < 0)) return;
    values[key] = value;
    changed();
  };
  range.addEventListener("input", () => take(range));
  exact.addEventListener("change", () => take(exact));
  return make("div", { class: "slider" }, make("label", { for: id }, name), range, exact);
}

function showValues() {
  for (const input of document.querySelectorAll("[data-key]")) {
    const key = input.dataset.key;
    if (input.type === "checkbox") input.checked = values[key];
    else if (input !== document.activeElement || input.type === "range" || input.valueAsNumber !== values[key]) input.value = values[key];
    input.closest(".slider").classList.toggle("changed", values[key] !== START[key]);
  }
  byId("yaml").value = toYaml(values);
  byId("download").href = "data:text/yaml;charset=utf-8," + encodeURIComponent(toYaml(values));
}

function showFigures() {
  const was = text => make("small", {}, ` was ${text}`);
  byId("figures").replaceChildren(...[
    ["mean reward", figure(found.meanNew), was(figure(found.meanOld))],
    ["groups without variance", percent(found.flatNew), was(percent(found.flatOld))],
    ["rank correlation", figure(found.correlation), make("small", {}, " with the recorded")],
    ["advantage changes sign", found.flips.length, make("small", {}, ` of ${found.scorable} episodes`)],
  ].map(([name, value, more]) => make("div", {}, make("dt", {}, name), make("dd", {}, value, more))));
  histogram(byId("rewards"), "Reward", found.old, found.rewards);
  histogram(byId("advantages"), "Advantage", found.before, found.after);
}

function histogram(where, title, before, after) {
  const [was, now] = [before, after].map(list => list.filter(v => v !== null)), all = [...was, ...now];
  const low = Math.floor(Math.min(0, ...all)), high = Math.max(low + 1, Math.ceil(Math.max(0, ...all))), bins = 24;
  const count = list => {
    const out = Array(bins).fill(0);
    list.forEach(v => { out[Math.min(bins - 1, Math.floor((v - low) / (high - low) * bins))]++; });
    return out;
  };
  const a = count(was), b = count(now), top = Math.max(1, ...a, ...b), width = 360, height = 130, step = width / bins;
  const svg = make("svg", { viewBox: `0 0 ${width} ${height + 16}`, role: "img", "aria-label": `${title}: histogram before and now, from ${low} to ${high}` });
  [[a, "bar-was", 0], [b, "bar-now", step / 2]].forEach(([counts, name, shift]) => counts.forEach((n, k) => {
    const tall = n / top * (height - 12), from = low + k * (high - low) / bins;
    if (n) svg.append(make("rect", { class: name, x: k * step + shift + 0.5, y: height - tall, width: step / 2 - 1, height: tall },
      make("title", {}, `${n} episodes from ${from.toFixed(2)}`)));
  }));
  svg.append(make("line", { class: "axis", x1: 0, x2: width, y1: height, y2: height }));
  for (let v = low; v <= high; v += Math.max(1, Math.ceil((high - low) / 8))) {
    const at = (v - low) / (high - low), anchor = at < 0.02 ? "start" : at > 0.98 ? "end" : "middle";
    svg.append(make("text", { x: at * width, y: height + 12, "text-anchor": anchor }, v));
  }
  svg.append(make("text", { x: 0, y: 9 }, `${top} episodes`));
  where.replaceChildren(make("figcaption", {}, title), svg);
}

const ORDERS = {
  "reward, highest first": (f, n) => f.rewards[n] ?? -Infinity,
  "reward, lowest first": (f, n) => -(f.rewards[n] ?? Infinity),
  "advantage changed most": (f, n) => Math.abs(f.after[n] - f.before[n]),
};

/** Places in the order of some rewards, 1 for the highest; equals share theirs. */
function places(rewards) {
  const sorted = rewards.filter(v => v !== null).sort((a, b) => b - a), first = new Map();
  sorted.forEach((v, k) => { const r = Math.round(v / 1e-9); if (!first.has(r)) first.set(r, k + 1); });
  return rewards.map(v => v === null ? "–" : first.get(Math.round(v / 1e-9)));
}

function showRanking() {
  const key = ORDERS[byId("order").value], group = byId("group").value;
  const now = places(found.rewards), was = places(found.old);
  const rows = DATA.episodes.map((_, n) => n).filter(n => !group || DATA.episodes[n].group === group);
  rows.sort((a, b) => key(found, b) - key(found, a) || a - b);
  const focused = document.activeElement?.dataset?.episode;
  byId("ranking").replaceChildren(...rows.slice(0, limit).map(n => {
    const e = DATA.episodes[n], open = make("button", { type: "button", "data-episode": n }, `${e.place.split("/").at(-1)} · ${e.instance}`);
    open.addEventListener("click", () => { chosen = n; showRanking(); showEpisode(true); });
    const cells = [now[n], was[n], figure(found.rewards[n]), figure(found.old[n]), signed(found.after[n]), signed(found.before[n])];
    const row = make("tr", n === chosen ? { class: "chosen", "aria-current": "true" } : {}, ...cells.map(c => make("td", { class: "n" }, c)));
    row.append(make("td", {}, found.outcomes[n]), make("td", {}, open));
    return row;
  }));
  if (focused !== undefined) document.querySelector(`[data-episode="${focused}"]`)?.focus({ preventScroll: true });
  byId("more").hidden = rows.length <= limit;
  byId("shown").textContent = `${Math.min(limit, rows.length)} of ${rows.length} shown`;
}

function showEpisode(move) {
  const box = byId("episode");
  box.hidden = chosen === null;
  if (chosen === null) return;
  const e = DATA.episodes[chosen];
  byId("episode-title").textContent = `${e.instance}: reward ${figure(found.rewards[chosen])}, was ${figure(e.reward)}`;
  byId("turns").replaceChildren(
    make("p", { class: "muted" }, `${e.place}; group ${e.group}; ended by ${e.end}; ${e.wasted} wasted turns`),
    ...e.turns.map((t, k) => showTurn(t, k + 1)));
  if (move) { box.focus({ preventScroll: true }); box.scrollIntoView({ block: "start" }); }
}

function showTurn(t, number) {
  const box = make("div", { class: "turn" }, make("h3", {}, `Turn ${number}: ${t.invalid ? "no valid action" : t.action || "cut off"}${t.unchanged ? ", unchanged" : ""}`));
  if (t.counts) box.append(make("p", {}, inWords(t)));
  const list = (title, lines, name) => {
    if (lines?.length) box.append(make("p", {}, title), make("ul", { class: name }, ...lines.map(line => make("li", {}, line))));
  };
  list("Findings of the audit:", t.findings, "bad");
  list("The verifier said:", t.messages, "");
  if (t.diff) box.append(lines(t.diff, true));
  const more = make("details", {}, make("summary", {}, "Text, answer, and what is open"), lines(t.text.split("\n")), make("p", {}, "It was told:"), lines(t.observation.split("\n")));
  if (t.open?.length) more.append(make("p", {}, "Open obligations and hidden probes:"), lines(t.open));
  box.append(more);
  return box;
}

function lines(all, isDiff = false) {
  const kinds = { "+": " add", "-": " del" };
  return make("pre", { tabindex: 0 }, ...all.map(line => make("span", { class: "line" + (isDiff ? kinds[line[0]] || "" : "") }, line)));
}

function inWords(t) {
  const [outcome, total] = score(t.counts, values);
  if (outcome !== "verified" && outcome !== "partial") return `${outcome}: ${figure(total)} (plain run: ${t.status})`;
  const parts = terms(t.counts, values), scale = sum(parts.map(p => p.weight));
  const inner = parts.map(p => `${p.weight} · ${p.discharged}/${p.total} ${p.category}`).join(" + ");
  const bonus = outcome === "verified" ? ` + bonus ${values["weights.verified_bonus"]}` : "";
  return `${outcome}: (${inner}) / ${Number(scale.toFixed(6))}${bonus} = ${figure(total, 4)}`;
}

let waiting = false;
function changed() {
  if (waiting) return;
  waiting = true;
  setTimeout(() => { waiting = false; update(); }, 0);
}
function update() {
  found = rescore(values);
  showValues();
  showFigures();
  showRanking();
  showEpisode(false);
}

byId("about").textContent = `${DATA.episodes.length} of ${DATA.total} recorded episodes. Only the arithmetic of `
  + "rewards/obligation.py can be tuned here; verulaw-rl rescore takes any reward.";
Object.keys(ORDERS).forEach(name => byId("order").append(make("option", {}, name)));
byId("group").append(make("option", { value: "" }, "all"), ...[...new Set(DATA.episodes.map(e => e.group))].map(g => make("option", {}, g)));
byId("order").addEventListener("change", () => { limit = PAGE; showRanking(); });
byId("group").addEventListener("change", () => { limit = PAGE; showRanking(); });
byId("more").addEventListener("click", () => { limit += PAGE; showRanking(); });
byId("reset").addEventListener("click", () => { Object.assign(values, START); update(); });
byId("controls").addEventListener("submit", event => event.preventDefault());
byId("copy").addEventListener("click", async () => {
  byId("yaml").select();
  let done = true;
  try { await navigator.clipboard.writeText(byId("yaml").value); } catch { done = document.execCommand("copy"); }
  byId("copied").textContent = done ? "Copied." : "Select the text and copy it.";
});
buildSliders();
update();
