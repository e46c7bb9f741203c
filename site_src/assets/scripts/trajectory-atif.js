// @ts-check
/** Reads a transcript in ATIF, the Agent Trajectory Interchange Format, of any version 1, and bare lists of steps. Pure. */

import { clean } from "./trajectory-text.js";

/** @typedef {{ input: number | null, output: number | null, cached: number | null, cost: number | null }} Spent  tokens and US dollars; `input` has the cached ones in it */
/** @typedef {{ id: string, name: string, given: unknown }} Call */
/** @typedef {{ id: string, file: string }} Reference  to another agent's transcript: inside this file, or beside it */
/** @typedef {{ call: string, text: string, references: readonly Reference[] }} Result  `call` is the id of the call that it answers, or "" */

/**
 * @typedef {object} Step
 * @property {number} number  from 1
 * @property {string} source  "user", "agent", "system", or what the file says
 * @property {string} time
 * @property {string} model  where the step names one
 * @property {string} message
 * @property {string} reasoning
 * @property {readonly Call[]} calls
 * @property {readonly Result[]} results
 * @property {Spent} spent
 * @property {boolean} isCopied  context that an earlier transcript has already
 * @property {number | null} round  of the task, where the step names one
 * @property {string} extra  what else the file says of it, as JSON
 */

/**
 * @typedef {object} Transcript
 * @property {string} version
 * @property {{ name: string, version: string, model: string }} agent
 * @property {string} id  by which others refer to it
 * @property {string} notes
 * @property {readonly Step[]} steps
 * @property {Spent} stated  what the file says that all of it took
 * @property {string} next  the file that it goes on in, or ""
 * @property {readonly Transcript[]} subagents
 */

/** @typedef {Record<string, unknown>} Fields */

const VERSION = /^ATIF-v1\./;

/**
 * @param {unknown} value  as parsed from JSON
 * @returns {Transcript | null} null where it is no transcript
 */
export function readTranscript(value) {
  const root = Array.isArray(value) ? { steps: value } : fields(value);
  if (!Array.isArray(root.steps) || !root.steps.length || !root.steps.some(isStep)) return null;
  const agent = fields(root.agent);
  const totals = fields(root.final_metrics);
  return {
    version: text(root.schema_version),
    agent: { name: text(agent.name), version: text(agent.version), model: text(agent.model_name) },
    id: text(root.trajectory_id) || text(root.session_id),
    notes: text(root.notes),
    steps: numbered(root.steps.map(readStep)),
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

/** @param {Transcript} transcript @returns {boolean} whether its version is one that is read here in full */
export function isKnown({ version }) {
  return !version || VERSION.test(version);
}

/** @param {unknown} value @returns {boolean} whether it looks like a step at all */
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

/** Number steps by their place where their own numbers do not tell them apart. @param {Step[]} steps @returns {Step[]} */
function numbered(steps) {
  const own = new Set(steps.map(({ number }) => number));
  const areSound = own.size === steps.length && [...own].every((number) => Number.isInteger(number) && number > 0);
  return areSound ? steps : steps.map((step, index) => ({ ...step, number: index + 1 }));
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
      references: list(result.subagent_trajectory_ref).map(readReference),
    };
  });
}

/** @param {unknown} value @returns {Reference} */
function readReference(value) {
  const reference = fields(value);
  return {
    id: text(reference.trajectory_id) || text(reference.session_id),
    file: typeof value === "string" ? clean(value) : text(reference.trajectory_path),
  };
}

/**
 * Give the words of a message or of an observation; pictures and sounds in it are named, never fetched.
 *
 * @param {unknown} value @returns {string}
 */
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

/** @param {unknown} value @returns {Fields} an object's, or none */
function fields(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? /** @type {Fields} */ (value) : {};
}

/** @param {unknown} value @returns {readonly unknown[]} one thing that should be a list stands for a list of it */
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
