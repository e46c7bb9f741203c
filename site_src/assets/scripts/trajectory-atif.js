// @ts-check
/**
 * Reads a transcript in ATIF, the Agent Trajectory Interchange Format, of any version 1, and bare lists of steps; and
 * arranges the texts of a step as blocks, each shown in part with the rest folded. Pure.
 */

/** @import { Spent } from "./trajectory-text.js" */
import { clean, lineCount } from "./trajectory-text.js";

/** @typedef {{ id: string, name: string, given: unknown }} Call */
/** @typedef {{ id: string, file: string }} Reference  to another agent's transcript: inside this file, or beside it */
/** @typedef {{ call: string, text: string, references: readonly Reference[] }} Result  `call` is the id of the call that it answers, or "" */

/**
 * @typedef {object} Step
 * @property {number} number  from 1
 * @property {string} source  "user", "agent", "system", or another value in the file
 * @property {string} time
 * @property {string} model  if the step names one
 * @property {string} message
 * @property {string} reasoning
 * @property {readonly Call[]} calls
 * @property {readonly Result[]} results
 * @property {Spent} spent
 * @property {boolean} isCopied  whether it repeats context from an earlier transcript
 * @property {number | null} round  of the task, if the step names one
 * @property {string} extra  other values of the step, as JSON
 */

/**
 * @typedef {object} Transcript
 * @property {string} version
 * @property {{ name: string, version: string, model: string }} agent
 * @property {string} id  by which other transcripts refer to it
 * @property {string} notes
 * @property {readonly Step[]} steps
 * @property {Spent} stated  the total effort stated in the file
 * @property {string} next  the file in which it continues, or ""
 * @property {readonly Transcript[]} subagents
 */

/**
 * @typedef {object} Block
 * @property {"message" | "reasoning" | "call" | "result" | "extra"} kind
 * @property {string} label
 * @property {string} text
 * @property {number} shown  number of characters before the fold
 * @property {readonly Reference[]} references  to other transcripts
 */

/** @typedef {{ lines: number, characters: number }} Length  of a text */

const VERSION = /^ATIF-v1\./;

/** The length of a block that is shown before the fold, by kind; 0 for other kinds. @type {Readonly<Record<string, Length>>} */
const UNFOLDED = {
  message: { lines: 30, characters: 4000 },
  call: { lines: 16, characters: 2000 },
  result: { lines: 10, characters: 1500 },
};
/** The length of a rest that is not worth folding. @type {Length} */
const SLACK = { lines: 3, characters: 240 };
/** Names of arguments with the command that a tool runs. */
const COMMANDS = ["keystrokes", "command", "cmd", "code", "script"];
const SHORT = 60;
/** The first half of a surrogate pair. */
const LEADS = /[\ud800-\udbff]/;

/** @param {unknown} value  as parsed from JSON @returns {Transcript | null} null if it is not a transcript */
export function readTranscript(value) {
  const root = Array.isArray(value) ? { steps: value } : fields(value);
  if (!Array.isArray(root.steps) || !root.steps.length || !root.steps.some(isStep)) return null;
  const agent = fields(root.agent);
  const totals = fields(root.final_metrics);
  const steps = root.steps.map(readStep);
  const own = new Set(steps.map(({ number }) => number));
  const areNumbered = own.size === steps.length && [...own].every((number) => Number.isInteger(number) && number > 0);
  return {
    version: text(root.schema_version),
    agent: { name: text(agent.name), version: text(agent.version), model: text(agent.model_name) },
    id: text(root.trajectory_id) || text(root.session_id),
    notes: text(root.notes),
    steps: areNumbered ? steps : steps.map((step, index) => ({ ...step, number: index + 1 })), // by position if their own numbers are not usable
    stated: {
      input: amount(totals.total_prompt_tokens),
      output: amount(totals.total_completion_tokens),
      cached: amount(totals.total_cached_tokens),
      cost: amount(totals.total_cost_usd),
    },
    next: text(root.continued_trajectory_ref),
    subagents: list(root.subagent_trajectories).flatMap((each) => readTranscript(each) ?? []),
  };
}

/** @param {Transcript} transcript @returns {boolean} whether its version is fully supported */
export function isKnown({ version }) {
  return !version || VERSION.test(version);
}

/** @param {unknown} value @returns {boolean} whether it looks like a step */
function isStep(value) {
  return ["source", "message", "tool_calls", "observation"].some((key) => key in fields(value));
}

/** @param {unknown} value @param {number} index @returns {Step} */
function readStep(value, index) {
  const step = fields(value);
  const metrics = fields(step.metrics);
  const { round, ...extra } = fields(step.extra);
  return {
    number: amount(step.step_id) ?? index + 1,
    source: text(step.source) || "unknown",
    time: text(step.timestamp),
    model: text(step.model_name),
    message: words(isStep(value) ? step.message : value),
    reasoning: words(step.reasoning_content),
    calls: list(step.tool_calls).map(readCall),
    results: readResults(step.observation),
    spent: {
      input: amount(metrics.prompt_tokens),
      output: amount(metrics.completion_tokens),
      cached: amount(metrics.cached_tokens),
      cost: amount(metrics.cost_usd),
    },
    isCopied: step.is_copied_context === true,
    round: amount(round),
    extra: Object.keys(extra).length ? clean(JSON.stringify(extra, null, 1)) : "",
  };
}

/** @param {unknown} value @returns {Call} */
function readCall(value) {
  const call = fields(value);
  const inner = fields(call.function);
  return {
    id: text(call.tool_call_id ?? call.id),
    name: text(call.function_name ?? inner.name ?? call.name) || "tool call",
    given: call.arguments ?? inner.arguments ?? call.input ?? null,
  };
}

/** @param {unknown} observation @returns {Result[]} */
function readResults(observation) {
  const results = fields(observation).results ?? observation;
  return list(results).map((value) => {
    const result = fields(value);
    const isPlain = !("content" in result) && !("subagent_trajectory_ref" in result);
    return {
      call: text(result.source_call_id),
      text: words(isPlain ? value : result.content),
      references: list(result.subagent_trajectory_ref).map((each) => {
        const reference = fields(each);
        const file = typeof each === "string" ? clean(each) : text(reference.trajectory_path);
        return { id: text(reference.trajectory_id) || text(reference.session_id), file };
      }),
    };
  });
}

/** @param {unknown} value @returns {string} the text of a message or an observation; images and audio are named, never fetched */
function words(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return clean(value);
  if (Array.isArray(value)) return value.map(part).join("\n");
  return clean(JSON.stringify(value, null, 1));
}

/** @param {unknown} value @returns {string} */
function part(value) {
  const { type, text: plain, source } = fields(value);
  if (typeof plain === "string") return clean(plain);
  if (typeof type !== "string" || type === "text") return words(value);
  const { media_type: kind, path } = fields(source);
  return `[${[text(type), text(kind), text(path)].filter(Boolean).join(", ")}: not fetched]`;
}

/** @param {unknown} value @returns {Record<string, unknown>} the fields of an object; empty for other values */
function fields(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? /** @type {Record<string, unknown>} */ (value) : {};
}

/** @param {unknown} value @returns {readonly unknown[]} the list; a single value becomes a list with it */
function list(value) {
  if (Array.isArray(value)) return value;
  return value === null || value === undefined || value === "" ? [] : [value];
}

/** @param {unknown} value @returns {string} */
function text(value) {
  return typeof value === "string" || typeof value === "number" ? clean(String(value)) : "";
}

/** @param {unknown} value @returns {number | null} */
function amount(value) {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}

/** @param {Step} step @returns {Block[]} in chronological order */
export function blocksOf(step) {
  const ids = new Set(step.calls.map(({ id }) => id).filter(Boolean));
  const results = (/** @type {readonly Result[]} */ some) =>
    some.map(({ text, references }) => block("result", text ? "" : "No observation", text, references));
  return [
    ...(step.reasoning ? [block("reasoning", "Reasoning", step.reasoning)] : []),
    ...(step.message ? [block("message", "", step.message)] : []),
    ...step.calls.flatMap((call) => [callBlock(call), ...results(step.results.filter((result) => call.id && result.call === call.id))]),
    ...results(step.results.filter(({ call }) => !ids.has(call))),
    ...(step.extra ? [block("extra", "Other data", step.extra)] : []),
  ];
}

/** @param {Call} call @returns {Block} */
function callBlock({ name, given }) {
  if (typeof given !== "object" || given === null) return block("call", name, given === null ? "" : plain(given));
  const isCommand = (/** @type {[string, unknown]} */ [key, value]) => COMMANDS.includes(key) && typeof value === "string";
  const all = Object.entries(given);
  const command = all.filter(isCommand).map(([, value]) => plain(value));
  const others = all.filter((entry) => !isCommand(entry)).map(([key, value]) => ({ key, text: plain(value) }));
  if (command.length && others.every(({ text }) => text.length <= SHORT && !text.includes("\n"))) {
    const label = [name, ...others.map(({ key, text }) => `${clean(key)} ${text}`)].join(" · ");
    return block("call", label, command.join("\n"));
  }
  const lines = others.map(({ key, text }) => `${clean(key)}:${text.includes("\n") ? "\n" : " "}${text}`);
  return block("call", name, [...command, ...lines].join("\n"));
}

/** @param {unknown} value @returns {string} without trailing empty lines */
function plain(value) {
  return clean(typeof value === "string" ? value : JSON.stringify(value, null, 1) ?? "").replace(/\n+$/, "");
}

/** @param {Block["kind"]} kind @param {string} label @param {string} text @param {readonly Reference[]} references @returns {Block} */
function block(kind, label, text, references = []) {
  return { kind, label, text, shown: kind in UNFOLDED ? cut(text, UNFOLDED[kind]) : 0, references };
}

/** @param {string} text @param {Length} most @returns {number} number of characters shown before the fold; all of them if little would be left */
export function cut(text, most) {
  let shown = 0;
  for (let line = 0; line < most.lines && shown < text.length; line += 1) shown = text.indexOf("\n", shown) + 1 || text.length;
  shown = Math.min(shown, most.characters);
  if (shown >= text.length) return text.length;
  if (LEADS.test(text[shown - 1])) shown += 1; // never within a surrogate pair
  const rest = text.slice(shown, shown + SLACK.characters + 1);
  return rest.length <= SLACK.characters && lineCount(rest) <= SLACK.lines ? text.length : shown;
}
