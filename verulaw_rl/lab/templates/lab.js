"use strict";
// The arithmetic of rewards/obligation.py, episodes/value.py and lab/rescoring.py, step by step as there.
// `w` holds every value by its key, as `Choice.values` has them.
const DATA = JSON.parse(document.getElementById("data").textContent);
const SAFETY = DATA.categories.indexOf("safety");

function terms(c, w) {
  const table = c.repair ? "annotation_repair" : "code_generation", probes = w["weights.probes"];
  const totals = c.totals.map((n, k) => probes ? n : n - c.probes[k]);
  const undischarged = c.open.map((n, k) => probes ? n : n - c.open_probes[k]);
  c.failures.forEach((n, k) => { undischarged[totals[k] ? k : SAFETY] += n; });
  return DATA.categories.map((category, k) => ({
    category, total: totals[k], discharged: Math.max(0, totals[k] - undischarged[k]),
    weight: w[`weights.${table}.${category}`],
  })).filter(t => t.total > 0);
}

function ratio(c, w) {
  let total = 0, weighted = 0;
  for (const t of terms(c, w)) {
    total += t.weight;
    weighted += t.weight * (t.discharged / t.total);
  }
  return total > 0 ? weighted / total : Number(c.verified);
}

/** Outcome and score of one submission; null where it cannot be scored. */
function score(c, w) {
  if (c.unsettled) return ["unscorable", null];
  if (w["weights.audit"] && c.escaped) return ["proof escape", w["weights.proof_escape"]];
  if (w["weights.audit"] && c.changed) return ["specification changed", w["weights.specification_changed"]];
  if (c.fault) return ["program fault", w["weights.program_fault"]];
  if (c.unscorable) return ["unscorable", null];
  return c.verified ? ["verified", ratio(c, w) + w["weights.verified_bonus"]] : ["partial", ratio(c, w)];
}

/** Outcome of the best submission, and the episode's reward; null where it cannot be scored. */
function episodeReward(e, w) {
  const submitted = e.turns.filter(t => t.submitted);
  let best = null, outcome = submitted.length ? "unscorable" : "no submission";
  for (const t of submitted) {
    const scores = t.counts ? [score(t.counts, w)] : [];
    if (t.assisted_counts) scores.push(["assisted", score(t.assisted_counts, w)[1]]);
    else if (t.assisted !== undefined) scores.push(["assisted", t.assisted]);
    for (const [said, total] of scores) if (total !== null && (best === null || total > best)) [outcome, best] = [said, total];
  }
  if (best === null && submitted.length) return [outcome, null];
  const penalty = Math.max(w["episode.wasted_cap"], e.wasted * w["episode.wasted_turn"]);
  return [outcome, (best === null ? w["episode.no_submission"] : best) + penalty];
}

const sum = values => values.reduce((a, b) => a + b, 0);
const mean = values => values.length ? sum(values) / values.length : null;

const deviation = values => Math.sqrt(sum(values.map(v => (v - mean(values)) ** 2)) / Math.max(values.length - 1, 1));

/** Indices of the episodes that can be scored, by the value of `key`. */
function gathered(rewards, key) {
  const found = new Map();
  DATA.episodes.forEach((e, n) => { if (rewards[n] !== null) found.set(e[key], [...(found.get(e[key]) || []), n]); });
  return found;
}

/** Advantages as the trainer has them, and per group whether all its rewards are the same. */
function advantages(rewards) {
  const members = gathered(rewards, "group"), out = rewards.map(() => 0), flat = new Map(), spread = new Map();
  const numbers = mine => mine.map(n => rewards[n]);
  for (const [b, mine] of gathered(rewards, "batch")) spread.set(b, deviation(numbers(mine)));
  for (const [g, mine] of members) {
    const values = numbers(mine), middle = mean(values), own = deviation(values);
    flat.set(g, Math.max(...values) - Math.min(...values) <= 1e-9);
    if (flat.get(g)) continue;
    for (const n of mine) {
      const { scale, batch } = DATA.episodes[n];
      const over = scale === "none" ? 1 : (scale === "batch" ? spread.get(batch) : own) + 1e-4;
      out[n] = (rewards[n] - middle) / over;
    }
  }
  return { values: out, flat, members };
}

function ranks(values) {
  const rounded = values.map(v => Math.round(v / 1e-9)), order = rounded.map((_, n) => n).sort((a, b) => rounded[a] - rounded[b]);
  const out = [];
  for (let k = 0; k < order.length;) {
    let end = k;
    while (end < order.length && rounded[order[end]] === rounded[order[k]]) end++;
    for (let j = k; j < end; j++) out[order[j]] = (k + end - 1) / 2;
    k = end;
  }
  return out;
}

/** Spearman's rank correlation; null where one side is the same everywhere. */
function rankCorrelation(first, second) {
  const a = ranks(first), b = ranks(second), ma = mean(a), mb = mean(b);
  const product = (x, mx, y, my) => sum(x.map((v, n) => (v - mx) * (y[n] - my)));
  const scale = Math.sqrt(product(a, ma, a, ma) * product(b, mb, b, mb));
  return scale > 0 ? product(a, ma, b, mb) / scale : null;
}

/** Everything that the page shows of the episodes under some values. */
function rescore(w) {
  const scored = DATA.episodes.map(e => episodeReward(e, w)), rewards = scored.map(s => s[1]);
  const old = DATA.episodes.map(e => e.reward), groups = DATA.episodes.map(e => e.group);
  const before = advantages(old), after = advantages(rewards);
  const both = old.map((_, n) => n).filter(n => old[n] !== null && rewards[n] !== null);
  const pick = values => both.map(n => values[n]);
  const sizes = new Map();
  both.forEach(n => sizes.set(groups[n], (sizes.get(groups[n]) || 0) + 1));
  const counted = [...sizes].filter(([, n]) => n >= 2).map(([g]) => g);
  const share = flat => counted.length ? counted.filter(g => flat.get(g)).length / counted.length : null;
  return {
    rewards, outcomes: scored.map(s => s[0]), old, before: before.values, after: after.values, scorable: both.length,
    groups: counted.length, flatOld: share(before.flat), flatNew: share(after.flat),
    meanOld: mean(pick(old)), meanNew: mean(pick(rewards)), correlation: rankCorrelation(pick(old), pick(rewards)),
    flips: both.filter(n => before.values[n] * after.values[n] < 0),
  };
}

/** The values as a `reward:` block of a config. */
function toYaml(w) {
  const number = v => typeof v === "boolean" ? String(v) : Number.isInteger(v) ? v.toFixed(1) : String(v);
  const lines = ["reward:", "  file: rewards/obligation.py"], opened = new Set();
  for (const [key, value] of Object.entries(w)) {
    const parts = key.split(".");
    parts.slice(0, -1).forEach((part, depth) => {
      const path = parts.slice(0, depth + 1).join(".");
      if (!opened.has(path)) lines.push(`${"  ".repeat(depth + 1)}${part}:`);
      opened.add(path);
    });
    lines.push(`${"  ".repeat(parts.length)}${parts.at(-1)}: ${number(value)}`);
  }
  return lines.join("\n") + "\n";
}
