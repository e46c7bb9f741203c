// @ts-check
/** Code of the "Recompute" button: a row's scores, recomputed from the submitted files. */

import { inGroups, median, scoreOfRow, total } from "./task-parts.js";

const REACHED = ["scored", "no_cases", "aborted"];
const known = (/** @type {any[]} */ all) => all.filter((each) => each !== null);
const mean = (/** @type {any[]} */ all) => (all.length ? total(all) / all.length : null);
const choose = (/** @type {number} */ n, /** @type {number} */ k) => {
  let found = k > n ? 0 : 1;
  for (let each = 1; found && each <= k; each += 1) found *= (n - k + each) / each;
  return found;
};

/** A measurement of a round or a run; null if not measured. @param {string} of @param {any} each @returns {number | null} */
function taken(of, each) {
  if (!each) return null;
  if (!of.startsWith("measure:")) return each[of] ?? null;
  const key = Object.keys(each.measures ?? {}).find((name) => name.split("@")[0] === of.slice(8));
  return key ? each.measures[key] : null;
}

/**
 * Records without unknown costs: a cost of 0 is real only if the agent is declared free.
 * @param {any[]} records @param {boolean} isFree
 */
const withKnownCosts = (records, isFree) =>
  records.map((record) => (record.cost_usd === 0 && !isFree ? { ...record, cost_usd: null } : record));

/** Records by task, attempt and round. @param {any} told */
function gridsOf(told) {
  const { tasks, made, threshold, protocol, left_out } = told;
  const isFree = told.free === true;
  const rounds = withKnownCosts(told.rounds, isFree);
  const runs = withKnownCosts(told.runs, isFree);
  const place = (/** @type {any[]} */ ...parts) => JSON.stringify(parts);
  const at = new Map(rounds.map((/** @type {any} */ each) => [place(each.task, each.start ?? "own", each.attempt, each.round), each]));
  const out = new Set(rounds.filter((/** @type {any} */ each) => each.state === "excluded").map((/** @type {any} */ each) => place(each.task, each.round)));
  for (const each of left_out ?? []) out.add(place(...each));
  const own = rounds.some((/** @type {any} */ each) => (each.start ?? "own") === "own" && REACHED.includes(each.state));
  const reference = rounds.some((/** @type {any} */ each) => each.start === "reference" && each.state !== "unreached");
  const passes = (/** @type {any} */ each) => each?.state === "scored" && each.reward >= threshold;
  const tries = Array.from({ length: made }, (_, attempt) => attempt + 1);
  return tasks.map((/** @type {any} */ task) => {
    const asked = task.rounds.filter((/** @type {any} */ each) => !out.has(place(task.id, each.n)));
    const cells = tries.map((attempt) => asked.map((/** @type {any} */ each) => at.get(place(task.id, "own", attempt, each.n))));
    const reached = cells.map((row) => row.filter((/** @type {any} */ each) => REACHED.includes(each?.state)));
    const isMade = cells.map((row, attempt) => reached[attempt].length > 0 || !(row.every((/** @type {any} */ each) => !each) || (reference && !own) || row.some((/** @type {any} */ each) => each?.state === "fast_forwarded")));
    const weight = asked.map((/** @type {any} */ each) => each.weight ?? 1);
    return {
      task, cells, reached, isMade, passes, stops: protocol === "fail-stop",
      weights: weight.map((/** @type {number} */ each) => each / total(weight)),
      reference: reference ? asked.map((/** @type {any} */ each) => at.get(place(task.id, "reference", 1, each.n))) : [],
      runs: tries.map((attempt) => runs.find((/** @type {any} */ run) => run.task === task.id && run.attempt === attempt)),
    };
  }).filter((/** @type {any} */ grid) => grid.weights.length);
}

/** One number for each attempt. @param {any} grid @param {any} rule */
function byAttempt(grid, rule) {
  return valuesOf(grid, rule.of).map((/** @type {any[]} */ row, /** @type {number} */ attempt) => {
    const told = known(row), run = runOf(grid, rule.of, attempt), count = grid.reached[attempt].length;
    const weighted = (/** @type {any} */ take) => total(row.map((value, n) => (value === null ? 0 : take(value) * grid.weights[n])));
    if (rule.rounds === "last") return row.at(-1);
    if (rule.rounds === "all") return Number(row.every((value) => value === 1));
    if (rule.rounds === "weighted") return told.length ? weighted((/** @type {number} */ value) => value) / weighted(() => 1) : null;
    if (run !== null) return rule.rounds === "mean" ? run / count : run;
    if (rule.rounds === "mean") return mean(told);
    return isVerdict(rule) || (count && told.length === count) ? total(told) : null;
  });
}

const isVerdict = (/** @type {any} */ rule) => ["pass", "reward", "cases"].includes(rule.of);

/** The value of each round. @param {any} grid @param {string} of @returns {any[][]} */
function valuesOf(grid, of) {
  return grid.cells.map((/** @type {any[]} */ row) => {
    let isKept = true;
    return row.map((each) => {
      if (!isVerdict({ of })) return REACHED.includes(each?.state) ? taken(of, each) : null;
      const counts = each?.state === "scored" && isKept;
      isKept = isKept && !(grid.stops && !grid.passes(each));
      if (!counts) return 0;
      return of === "pass" ? Number(grid.passes(each)) : of === "reward" ? each.reward : each.passed / each.total;
    });
  });
}

/** The value of a complete run if its rounds have none. @param {any} grid @param {string} of @param {number} attempt */
function runOf(grid, of, attempt) {
  const count = grid.reached[attempt].length, isTold = known(valuesOf(grid, of)[attempt]).length > 0;
  if (isVerdict({ of }) || of.startsWith("measure:") || isTold || !count) return null;
  if (of !== "interactions") return taken(of, grid.runs[attempt]);
  const each = taken("interactions_per_round", grid.runs[attempt]);
  return each === null ? null : each * count;
}

/** One number for a task. @param {any} grid @param {any} rule */
function byTask(grid, rule) {
  const values = byAttempt(grid, rule), told = known(values);
  if (rule.attempts === "first") return values[0];
  if (rule.attempts === "mean") return mean(told);
  if (rule.attempts === "median") return told.length ? median(told) : null;
  if (["best", "worst"].includes(rule.attempts)) return told.length ? Math[(rule.attempts === "best") === rule.upwards ? "max" : "min"](...told) : null;
  const n = total(grid.isMade.map(Number)), passed = total(values.map((/** @type {number} */ value, /** @type {number} */ attempt) => value * Number(grid.isMade[attempt])));
  return rule.attempts === "pass_hat_k" ? choose(passed, rule.k) / choose(n, rule.k) : 1 - choose(n - passed, rule.k) / choose(n, rule.k);
}

/** A task's contribution to a score, and its weight. @param {any} grid @param {any} rule */
function partOf(grid, rule) {
  if (rule.tasks !== "pooled") {
    const value = byTask(grid, rule), weight = rule.tasks === "weighted" ? grid.task.weight ?? 1 : 1;
    if (value === null) return [0, 0];
    return [(rule.tasks === "count" ? Number(Math.abs(value - 1) < 1e-9) : value) * weight, weight];
  }
  const told = known(valuesOf(grid, rule.of).flat()), runs = grid.runs.map((/** @type {any} */ _, /** @type {number} */ attempt) => runOf(grid, rule.of, attempt));
  return [total(told) + total(known(runs)), told.length + total(runs.map((/** @type {any} */ run, /** @type {number} */ attempt) => (run === null ? 0 : grid.reached[attempt].length)))];
}

/** A declared metric. @param {any[]} grids @param {any} rule @returns {number} */
function declared(grids, rule) {
  const parts = grids.map((grid) => partOf(grid, rule));
  const row = { above: parts.map(([value]) => value), below: parts.map(([, weight]) => weight) };
  if (["sum", "count"].includes(rule.tasks)) return scoreOfRow(row, "sum");
  if (rule.tasks === "median") return scoreOfRow(row, "median");
  if (rule.tasks !== "macro") return scoreOfRow(row, "mean");
  const labels = grids.map((grid) => grid.task.labels?.[rule.axis]);
  const groups = [...new Set(labels)].map((label) => ({
    columns: [...labels.keys()].filter((column) => labels[column] === label),
    weight: rule.weights?.[label] ?? 1,
  }));
  return scoreOfRow(inGroups(row, groups), "mean");
}

/** Metrics without a declaration. @type {Record<string, (grids: any[]) => number | null>} */
const SPECIAL = {
  mt_at_k: (grids) => mean(grids.map((grid) => {
    const rows = valuesOf({ ...grid, stops: true }, "pass").filter((_, attempt) => grid.isMade[attempt]);
    return mean(grid.weights.map((/** @type {any} */ _, /** @type {number} */ n) => Number(rows.some((row) => row[n]))));
  })),
  sr: (grids) => mean(grids.flatMap((grid) => grid.reference.map((/** @type {any} */ each) => Number(grid.passes(each))))),
  gap: (grids) => Number(SPECIAL.sr(grids)) - Number(SPECIAL.mt_at_k(grids)),
  avg_turns: (grids) => perFullTask(grids, "turns"),
  output_tokens_k: (grids) => Number(perFullTask(grids, "output_tokens")) / 1000,
  net_cost: (grids) => total(grids.map((grid) => partOf(grid, { of: "cost_usd", tasks: "pooled" })[0])),
  partial: (grids) => mean(grids.map((grid) => mean(grid.cells.map((/** @type {any[]} */ row) => Number(row.some(grid.passes)))))),
  iso: (grids) => ofCases(grids, (name) => name !== "regression"),
  core: (grids) => ofCases(grids, (name) => name === "core"),
};

/** @param {any[]} grids @param {string} of */
function perFullTask(grids, of) {
  return mean(known(grids.map((grid) => mean(known(grid.reached.map((/** @type {any[]} */ row, /** @type {number} */ attempt) => {
    const own = known(row.map((each) => each[of] ?? null)), told = own.length ? total(own) : grid.runs[attempt]?.[of] ?? null;
    return told === null || !row.length ? null : (told * grid.weights.length) / (own.length || row.length);
  }))))));
}

/** @param {any[]} grids @param {(name: string) => boolean} wanted */
function ofCases(grids, wanted) {
  return mean(known(grids.flatMap((grid) => grid.cells.flat()).map((each) => {
    if (each?.state !== "scored") return 0;
    const counts = Object.entries(each.by_category ?? {}).filter(([name, [, all]]) => wanted(name) && all);
    return counts.length ? Number(counts.every(([, [passed, all]]) => passed === all)) : null;
  })));
}

/** A metric's value; percentages as shares. @param {any[]} grids @param {any} rule @returns {number | null | undefined} */
function valueOf(grids, rule) {
  if (!rule.numerator) return rule.of ? declared(grids, rule) : SPECIAL[rule.id]?.(grids);
  const top = valueOf(grids, rule.numerator), bottom = valueOf(grids, rule.denominator);
  return bottom && typeof top === "number" ? top / bottom : null;
}

/** Every score, in its unit. @param {any} told  tasks, rounds, runs, made, threshold, protocol and metrics @returns {Record<string, number | null>} */
export function scoresOf(told) {
  const grids = gridsOf(told);
  return Object.fromEntries(told.metrics.map((/** @type {any} */ rule) => {
    const value = valueOf(grids, rule);
    return [rule.id, value === null || value === undefined || Number.isNaN(value) ? null : value * rule.factor];
  }));
}

/** Recompute rows from their files, whose checksums are verified with the site's list. @param {string} root @param {string} address  BENCHMARK/TRACK, or with /SUBMISSION */
export async function recomputed(root, address) {
  const [benchmark, track, id] = address.split("/"), read = async (/** @type {string} */ name) => new Uint8Array(await (await fetch(root + name, { cache: "no-store" })).arrayBuffer());
  const decode = (/** @type {Uint8Array} */ bytes) => new TextDecoder().decode(bytes);
  const sums = new Map(decode(await read("site.sha256")).split("\n").map((line) => [line.slice(66), line.slice(0, 64)]));
  const bad = /** @type {string[]} */ ([]);
  const file = async (/** @type {string} */ name) => {
    if (!sums.has(name)) return "";
    const bytes = await read(name), digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    if ([...digest].map((each) => each.toString(16).padStart(2, "0")).join("") !== sums.get(name)) bad.push(name);
    return decode(bytes);
  };
  const lines = (/** @type {string} */ text) => text.split("\n").filter(Boolean).map((line) => JSON.parse(line));
  const rules = JSON.parse(await file("api/v1/rules.json")), board = rules.boards.find((/** @type {any} */ each) => each.benchmark === benchmark && each.track === track);
  const [tasks, told] = await Promise.all([board.tasks, `api/v1/${benchmark}/${track}.json`].map(file));
  const compared = [];
  for (const name of id ? [id] : Object.keys(board.submissions)) {
    const row = board.submissions[name], folder = `data/${benchmark}/submissions/${name}/`;
    const [rounds, runs] = await Promise.all([`${folder}rounds.jsonl`, `${folder}runs.jsonl`].map(file));
    if (bad.length) break;
    const records = lines(rounds);
    for (const [line, change] of row.changes) Object.assign(records[line], change);
    const values = scoresOf({ ...board, ...row, threshold: rules.threshold, tasks: lines(tasks), rounds: records, runs: lines(runs) });
    const { metrics } = JSON.parse(told).submissions.find((/** @type {any} */ each) => each.id === name);
    const there = board.metrics.filter((/** @type {any} */ rule) => typeof metrics[rule.id]?.value === "number");
    compared.push(...there.map((/** @type {any} */ rule) => ({ row: name, title: rule.title, value: values[rule.id], published: metrics[rule.id].value })));
  }
  return { bad, compared };
}

/** Show the result beside the button. @param {HTMLButtonElement} button @param {HTMLElement} status */
export async function tell(button, status) {
  if (!globalThis.crypto?.subtle) {
    status.textContent = "This needs https or localhost; elsewhere, browsers do not compute SHA-256.";
    return;
  }
  status.textContent = "Reading the files…";
  try {
    const { bad, compared } = await recomputed(button.dataset.root ?? "", button.dataset.recompute ?? "");
    const off = compared.filter((/** @type {any} */ each) => !(Math.abs(each.value - each.published) <= 1e-9 * Math.max(1, Math.abs(each.published))));
    if (bad.length) status.textContent = `These files differ from the site's list: ${bad.join(", ")}`;
    else if (off.length) status.textContent = off.map((/** @type {any} */ each) => `${each.title} of ${each.row} differs: ${each.value} here, ${each.published} published`).join("; ");
    else status.textContent = `${compared.length} values agree: ${[...new Set(compared.map((/** @type {any} */ each) => each.title))].join(", ")}`;
  } catch (error) {
    status.textContent = `Recomputing failed: ${error instanceof Error ? error.message : error}`;
  }
}
