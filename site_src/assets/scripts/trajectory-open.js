// @ts-check
/** Opens one transcript: fetches its files, and shows what they say as it comes. */

import { element } from "./element.js";
import { mountFind } from "./trajectory-find.js";
import { beside } from "./trajectory-place.js";
import { comeTo } from "./trajectory-sight.js";
import { fetchFile, readBeside } from "./trajectory-source.js";
import { mountSteps, nameOf, nestedSteps } from "./trajectory-steps.js";
import { NOTHING, counted, spentText } from "./trajectory-totals.js";
import { Trouble, troubleText } from "./trajectory-trouble.js";

/** @typedef {import("./trajectory-worker.js").Head} Head */
/** @typedef {import("./trajectory-worker.js").ShownStep} ShownStep */
/** @typedef {import("./trajectory-atif.js").Reference} Reference */

/** How long nothing new is said of what has come, so that it can be read aloud. In milliseconds. */
const SILENCE = 1000;

/** Steps that fill a window. */
const BELOW = 20;

/**
 * The parts of the page that a transcript fills.
 *
 * @typedef {object} Parts
 * @property {HTMLElement} told  what goes on, and what went wrong
 * @property {HTMLElement} actions  buttons that go with it
 * @property {HTMLElement} facts
 * @property {HTMLElement} reader  all that is seen once there are steps
 * @property {HTMLElement} steps
 * @property {HTMLElement} more  leads to what follows
 * @property {import("./trajectory-find.js").Bar} bar
 * @property {readonly HTMLButtonElement[]} folds  expand all, collapse all
 * @property {string} worker  address of the script that reads
 */

/**
 * @typedef {object} Reader
 * @property {(file: URL) => Promise<void>} open  loads a file and shows it behind what is shown already
 */

/**
 * @param {Parts} parts
 * @param {number | null} round  to begin at, in a transcript that tells of several
 * @returns {Reader}
 */
export function mountReader(parts, round) {
  /** @type {Map<string, { head: Head, steps: ShownStep[] }>} */
  const agents = new Map();
  let file = new URL(location.href);
  let part = 0;
  const wanted = { anchor: location.hash.slice(1), round, due: 0 };
  const refer = (/** @type {Reference} */ reference) => referral(reference, { agents, worker: parts.worker, file: () => file });
  const steps = mountSteps(parts.steps, refer, (anchor) => arrive(anchor, wanted));
  const search = mountFind(parts.bar, steps);
  addEventListener("hashchange", () => showStep(location.hash.slice(1)));
  parts.folds.forEach((button, at) => button.addEventListener("click", () => void steps.foldAll(at === 0)));

  /** @param {URL} next */
  const open = async (next) => {
    const bytes = await load(parts, next);
    [file, part] = [next, part + 1];
    /** @type {Head | null} */
    let own = null;
    await readBeside(parts.worker, bytes, steps.all.at(-1)?.total ?? NOTHING, (told) => {
      if ("head" in told) showHead(parts, (own = told.head), part);
      else if ("agent" in told) agents.set(told.agent.id, { head: told.agent, steps: told.steps });
      else void steps.add(anchored(told.steps, wanted, part), part);
    });
    await steps.add([], part);
    if (wanted.due) arrive("", wanted, wanted.due);
    const following = own ? leadOn(parts, /** @type {Head} */ (own), file, tried) : null;
    await search();
    if (following && partOf(wanted.anchor) > part) await tried(following);
  };
  /** @param {URL} next */
  const tried = async (next) => {
    const ways = [...parts.more.querySelectorAll("button")];
    for (const way of ways) way.disabled = true; // pressed twice it would show a file twice
    await open(next).catch((error) => showTrouble(parts, error, next, tried));
    for (const way of ways) way.disabled = false;
  };
  return { open: tried };
}

/** @typedef {{ anchor: string, round: number | null, due: number }} Wanted  the step that a reader came for; after how many more it is gone to, 0 for never */

/** Find the step at which a round begins, where a reader came for one. @param {ShownStep[]} steps @param {Wanted} wanted @param {number} part @returns {ShownStep[]} the same steps */
function anchored(steps, wanted, part) {
  const first = wanted.anchor || wanted.round === null ? undefined : steps.find(({ round }) => round === wanted.round);
  if (first) wanted.anchor = nameOf(part, first.number).anchor;
  return steps;
}

/** Go to the step that a reader came for when so much stands below it that it can be at the top. @param {string} anchor  of a step that has come @param {Wanted} wanted @param {number} [steps] */
function arrive(anchor, wanted, steps = 1) {
  if (anchor === wanted.anchor) wanted.due = BELOW;
  else if (wanted.due && (wanted.due -= steps) === 0) showStep(wanted.anchor);
}

/** Go to a step and mark it as the one that the address means. @param {string} anchor */
function showStep(anchor) {
  const card = /^(part-\d+-)?step-\d+$/.test(anchor) ? document.getElementById(anchor) : null;
  document.querySelector(".sg-turn[data-here]")?.removeAttribute("data-here");
  if (!card) return;
  if (card.parentElement) card.hidden = card.parentElement.hidden = false;
  card.dataset.here = "";
  card.focus({ preventScroll: true });
  comeTo(card, "start");
}

/** @param {Parts} parts @param {URL} file @returns {Promise<Uint8Array<ArrayBuffer>>} */
async function load({ told, actions }, file) {
  const stopping = new AbortController();
  const stop = button("Stop", () => stopping.abort());
  actions.replaceChildren(stop);
  told.textContent = "Loading the transcript.";
  let spoke = performance.now();
  const bytes = await fetchFile(file, stopping.signal, (text) => {
    if (performance.now() - spoke < SILENCE) return;
    told.textContent = `Loading the transcript: ${text}.`;
    spoke = performance.now();
  });
  actions.replaceChildren();
  told.textContent = "Reading the transcript.";
  return bytes;
}

/** @param {Parts} parts @param {unknown} error @param {URL} file @param {(file: URL) => void} open */
function showTrouble({ told, actions }, error, file, open) {
  told.textContent = `The transcript cannot be shown. ${troubled(error instanceof Error ? error : new Error(String(error)), file)}`;
  const raw = element("a", "Open the raw file");
  raw.href = file.href;
  actions.replaceChildren(button("Try again", () => open(file)), raw);
}

/** @param {Parts} parts @param {Head} head @param {number} part */
function showHead({ facts, reader, told }, head, part) {
  const spent = spentText(head.total);
  const pairs = [...head.facts, ...(spent ? [["Taken", spent]] : []), ...(head.stated ? [["The file states", spentText(head.stated)]] : []), ...(head.notes ? [["Notes", head.notes]] : [])];
  const list = element("dl", "", { inside: pairs.map(([name, text]) => element("div", "", { inside: [element("dt", name), element("dd", text)] })) });
  facts.append(...(part > 1 ? [element("h3", `Part ${part}`)] : []), list);
  told.textContent = head.isKnown ? "" : "This version of the format is not known here: what is not understood is left out.";
  reader.hidden = false;
}

/** @param {string} anchor  of a step @returns {number} the file that it stands in, from 1 */
function partOf(anchor) {
  return Number(/^part-(\d{1,4})-/.exec(anchor)?.[1] ?? 1);
}

/** Lead to the file that a transcript goes on in. @param {Parts} parts @param {Head} head @param {URL} file @param {(file: URL) => void} open @returns {URL | null} that file */
function leadOn({ more }, head, file, open) {
  const next = head.next ? beside(file, head.next) : null;
  if (!head.next) more.replaceChildren();
  else if (!next) more.replaceChildren(`The transcript goes on in ${head.next}, which does not lie beside this file.`);
  else more.replaceChildren(`The transcript goes on in ${head.next}. `, button("Load what follows", () => open(next)));
  return next;
}

/**
 * @typedef {object} Around
 * @property {ReadonlyMap<string, { head: Head, steps: readonly ShownStep[] }>} agents  whose transcripts the file has in it
 * @property {() => URL} file
 * @property {string} worker
 */

/**
 * Lead to another agent's transcript.
 *
 * @param {Reference} reference
 * @param {Around} around
 * @returns {Node[]}
 */
function referral(reference, around) {
  const { agents, file } = around;
  const inside = reference.id ? agents.get(reference.id) : undefined;
  const name = inside?.head.facts[0]?.[1] || reference.file || reference.id || "another agent";
  const next = reference.file ? beside(file(), reference.file) : null;
  /** @param {readonly ShownStep[]} steps */
  const refer = (steps) => nestedSteps(steps, (deeper) => referral(deeper, around));
  const line = element("p", "", { look: "sg-block-label" });
  const place = element("div", "");
  if (inside) line.append(button(`Show what ${name} did (${counted(inside.head.count, "step")})`, () => place.replaceChildren(refer(inside.steps))));
  else if (next) line.append(button(`Load ${reference.file}`, () => void loadNested(next, around.worker, (steps) => place.replaceChildren(steps instanceof Error ? troubled(steps, next) : refer(steps)))));
  else line.append(`The transcript of ${name} is not in this file, nor named beside it.`);
  return [line, place];
}

/** @param {Error} error @param {URL} file @returns {string} */
function troubled(error, file) {
  return troubleText(error instanceof Trouble ? error : new Trouble("text", error.message), file.host);
}

/** @param {URL} file @param {string} worker @param {(steps: readonly ShownStep[] | Error) => void} show */
async function loadNested(file, worker, show) {
  /** @type {ShownStep[]} */
  const steps = [];
  try {
    const bytes = await fetchFile(file, new AbortController().signal, () => {});
    await readBeside(worker, bytes, NOTHING, (told) => {
      if ("steps" in told && !("agent" in told)) steps.push(...told.steps);
    });
    show(steps);
  } catch (error) {
    show(error instanceof Error ? error : new Error(String(error)));
  }
}

/** @param {string} text @param {() => void} act @returns {HTMLButtonElement} */
export function button(text, act) {
  const made = element("button", text);
  made.type = "button";
  made.addEventListener("click", act);
  return made;
}
