// @ts-check
/** Reads a transcript in a worker, so that a large one does not block the page. It fetches nothing. */

/** @import { Block, Step, Transcript } from "./trajectory-atif.js" */
/** @import { Spent } from "./trajectory-text.js" */
import { blocksOf, isKnown, readTranscript } from "./trajectory-atif.js";
import { NOTHING, clean, differ, lasted, running, stepsText } from "./trajectory-text.js";

/** @typedef {"number" | "source" | "time" | "model" | "isCopied" | "round" | "spent"} Kept */
/** @typedef {Pick<Step, Kept> & { total: Spent, blocks: readonly Block[] }} ShownStep  `total` is the effort up to this step */

/**
 * @typedef {object} Head
 * @property {readonly [string, string][]} facts  facts about the transcript: agent, model, steps
 * @property {Spent} total
 * @property {Spent | null} stated  the totals stated in the file, if they differ
 * @property {string} notes
 * @property {string} next  the file in which it continues, or ""
 * @property {number} count  of steps
 * @property {string} id
 * @property {boolean} isKnown  whether the version of the format is supported
 */

/** @typedef {{ head: Head } | { agent: Head, steps: ShownStep[] } | { steps: ShownStep[] }} Piece */
/** @typedef {Piece | { done: true } | { trouble: "text" | "foreign", about: string }} Message */

const BATCH = 100;

addEventListener("message", ({ data }) => {
  for (const message of read(new Uint8Array(data.bytes), data.before ?? NOTHING)) postMessage(message);
});

/** @param {Uint8Array} bytes @param {Spent} before  spent in the files before this one @returns {Generator<Message>} */
function* read(bytes, before) {
  let value;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    yield { trouble: "text", about: error instanceof Error ? clean(error.message.slice(0, 120)) : "" };
    return;
  }
  const transcript = readTranscript(value);
  if (!transcript) {
    yield { trouble: "foreign", about: "" };
    return;
  }
  yield { head: headOf(transcript) };
  for (const each of subagents(transcript)) yield { agent: headOf(each), steps: shown(each, NOTHING) };
  const steps = shown(transcript, before);
  for (let from = 0; from < steps.length; from += BATCH) yield { steps: steps.slice(from, from + BATCH) };
  yield { done: true };
}

/** @param {Transcript} transcript @returns {Transcript[]} the transcripts nested in it, at any depth */
function subagents(transcript) {
  return transcript.subagents.flatMap((each) => [each, ...subagents(each)]);
}

/** @param {Transcript} transcript @returns {Head} */
function headOf(transcript) {
  const { agent, steps, stated, version, notes, next, id } = transcript;
  const total = running(steps).at(-1) ?? NOTHING;
  const calls = steps.filter(({ isCopied }) => !isCopied).reduce((sum, step) => sum + step.calls.length, 0);
  /** @type {[string, string][]} */
  const facts = [
    ["Agent", [agent.name, agent.version].filter((each) => each && each !== "unknown").join(" ")],
    ["Model", agent.model],
    ["Steps", stepsText(steps)],
    ["Tool calls", String(calls)],
    ["Time", lasted(steps)],
    ["Format", version || "no version stated"],
  ];
  return {
    facts: facts.filter(([, text]) => text),
    total,
    stated: differ(total, stated) ? stated : null,
    notes,
    next,
    count: steps.length,
    id,
    isKnown: isKnown(transcript),
  };
}

/** @param {Transcript} transcript @param {Spent} before @returns {ShownStep[]} */
function shown({ steps }, before) {
  const totals = running(steps, before);
  return steps.map((step, index) => {
    const { number, source, time, model, isCopied, round, spent } = step;
    return { number, source, time, model, isCopied, round, spent, total: totals[index], blocks: blocksOf(step) };
  });
}
