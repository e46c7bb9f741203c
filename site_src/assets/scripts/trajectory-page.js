// @ts-check
/** Script of the page of a submission's transcripts: opens a transcript, fetches its files, and shows their steps as they arrive. The page lists every run without it. */

/** @import { Reference } from "./trajectory-atif.js" */
/** @import { Bar } from "./trajectory-find.js" */
/** @import { Run } from "./trajectory-source.js" */
/** @import { Head, ShownStep } from "./trajectory-worker.js" */
import { button, element, part } from "./element.js";
import { mountFind } from "./trajectory-find.js";
import { Trouble, beside, fetchFile, fileOf, found, readAsked, readBeside, runTitle, troubleText, writeAsked } from "./trajectory-source.js";
import { comeTo, mountSteps, nameOf, nestedSteps } from "./trajectory-steps.js";
import { NOTHING, counted, spentText } from "./trajectory-text.js";

/** @typedef {Run & { row: HTMLTableRowElement, link: HTMLAnchorElement, page: string }} Listed  `page` is the run's own page */

/**
 * The parts of the page that a transcript fills: `told` shows the status, with buttons in `actions`; `reader` is all that is visible once there are steps;
 * `more` links to the next file; `folds` expand all and collapse all; `worker` is the address of the script that reads.
 * @typedef {Record<"told" | "actions" | "facts" | "reader" | "steps" | "more", HTMLElement> & { bar: Bar, folds: readonly HTMLButtonElement[], worker: string }} Parts
 */

/** `agents` has the agents with transcripts inside the file. @typedef {{ agents: ReadonlyMap<string, { head: Head, steps: readonly ShownStep[] }>, file: () => URL, worker: string }} Around */

/** Minimum time between progress messages, so that they can be read aloud, in milliseconds. */
const SILENCE = 1000;

/** Steps that fill a window. */
const BELOW = 20;

mountTrajectories();

/** Show the transcript in the address, or let a reader choose one. */
function mountTrajectories() {
  const section = part("[data-transcript]", HTMLElement);
  const list = part("[data-runs]", HTMLDetailsElement);
  const runs = listed(list);
  for (const run of runs) run.link.href = writeAsked(run);
  const asked = readAsked(location.search);
  const matching = found(runs, asked);
  const told = part("[data-told]", HTMLElement, section);
  section.hidden = asked.task === null;
  if (asked.task !== null && !matching.length) told.textContent = "This submission has no transcript of this run. Choose one below.";
  if (matching.length > 1) {
    told.textContent = "There are several transcripts of this task. Choose one below.";
    const rows = new Set(matching.map(({ row }) => row));
    for (const { row } of runs) row.hidden = !rows.has(row);
  }
  if (matching.length === 1) {
    list.open = false;
    show(section, matching[0], runs, asked.round);
  }
  part("[data-waiting]", HTMLElement).removeAttribute("data-waiting");
}

/** @param {HTMLElement} list @returns {Listed[]} */
function listed(list) {
  return [...list.querySelectorAll("tr[data-task]")].flatMap((row) => {
    if (!(row instanceof HTMLTableRowElement)) return [];
    const { task = "", title = "", attempt = "1" } = row.dataset;
    const page = row.querySelector("th a")?.getAttribute("href") ?? "";
    return [...row.querySelectorAll("td a")].map((link) => {
      if (!(link instanceof HTMLAnchorElement)) throw new Error("a run has no link");
      const { round } = link.dataset;
      return { task, title, attempt: Number(attempt), round: round ? Number(round) : null, row, link, page };
    });
  });
}

/** @param {HTMLElement} section @param {Listed} run @param {readonly Listed[]} runs @param {number | null} round  to start at */
function show(section, run, runs, round) {
  const { pattern = "", root = "", agent = "", round: word = "" } = section.dataset;
  const file = fileOf(pattern, run, new URL(root, location.href).href);
  const title = `${agent} on ${runTitle(run, word)}`;
  document.title = `${title} · ${document.title}`;
  part("h1 .sg-name", HTMLElement).textContent = title;
  const where = run.round === null ? `on ${run.title}` : `in ${word} ${run.round} of ${run.title}`;
  headline(`What ${agent} did ${where}`);
  run.link.setAttribute("aria-current", "page");
  part("[data-ways]", HTMLElement, section).replaceChildren(...ways(run, runs, file, word).map((link) => element("li", [link])));
  const parts = partsOf(section);
  parts.bar.field.value = new URLSearchParams(location.search).get("find") ?? "";
  const open = mountReader(parts, run.round === null ? round : null, (count, first) => {
    const begins = first ? `; ${word} ${round} begins at step ${first}` : "";
    headline(`${agent} took ${counted(count, "step")} ${where}${begins}`);
  });
  if (file.origin === location.origin) return void open(file);
  parts.told.textContent = `The file is on ${file.host}. Nothing is requested from that host until you press the button; it then learns your network address.`;
  parts.actions.replaceChildren(button(`Load from ${file.host} (size unknown)`, () => void open(file)));
}

/** @param {string} text  the page's first sentence */
function headline(text) {
  document.querySelector("h1 [data-answer]")?.replaceChildren(text);
}

/** @param {Listed} run @param {readonly Listed[]} runs @param {URL} file @param {string} word  for a round @returns {HTMLAnchorElement[]} */
function ways(run, runs, file, word) {
  const at = runs.indexOf(run);
  const [before, after] = [runs[at - 1], runs[at + 1]].map((each) => (each?.task === run.task ? each : undefined));
  const attempt = run.attempt === 1 ? "" : `attempt-${run.attempt}-`;
  const anchor = run.round === null ? "" : `#${attempt}round-${run.round}`;
  const name = (/** @type {Run} */ other) =>
    (other.round === null || other.attempt !== run.attempt ? `Attempt ${other.attempt}` : `${word[0].toUpperCase()}${word.slice(1)} ${other.round}`);
  return [
    ...(before ? [element("a", `← ${name(before)}`, { href: writeAsked(before) })] : []),
    ...(after ? [element("a", `${name(after)} →`, { href: writeAsked(after) })] : []),
    element("a", "Result", { href: `${run.page.split("#")[0]}${anchor}` }),
    element("a", "Raw file", { href: file.href }),
  ];
}

/** @param {HTMLElement} section @returns {Parts} */
function partsOf(section) {
  const at = (/** @type {string} */ name) => part(`[data-${name}]`, HTMLElement, section);
  const press = (/** @type {string} */ name) => part(`[data-${name}]`, HTMLButtonElement, section);
  return {
    told: at("told"),
    actions: at("actions"),
    facts: at("facts"),
    reader: at("reader"),
    steps: at("steps"),
    more: at("more"),
    bar: { field: part("input", HTMLInputElement, section), told: at("hits"), previous: press("previous"), next: press("next") },
    folds: [press("expand"), press("collapse")],
    worker: section.dataset.worker ?? "",
  };
}

/**
 * @param {Parts} parts @param {number | null} round  to start at, in a transcript with several
 * @param {(count: number, first?: number) => void} tell  called with the number of steps in the first file, and the step at which the round begins
 * @returns {(file: URL) => Promise<void>} loads a file and appends its steps
 */
function mountReader(parts, round, tell) {
  /** @type {Map<string, { head: Head, steps: ShownStep[] }>} */
  const agents = new Map();
  let file = new URL(location.href);
  let number = 0;
  let wanted = location.hash.slice(1); // the step in the address
  let due = 0; // number of further steps after which the page scrolls to it, so that it can be at the top; 0 for never
  const refer = (/** @type {Reference} */ reference) => referral(reference, { agents, worker: parts.worker, file: () => file });
  const arrive = (/** @type {string} */ anchor, more = 1) => {
    if (anchor === wanted) due = BELOW;
    else if (due && (due -= more) === 0) showStep(wanted);
  };
  const steps = mountSteps(parts.steps, refer, arrive);
  const search = mountFind(parts.bar, steps);
  addEventListener("hashchange", () => showStep(location.hash.slice(1)));
  parts.folds.forEach((fold, at) => fold.addEventListener("click", () => void steps.foldAll(at === 0)));

  /** @param {URL} next */
  const open = async (next) => {
    const bytes = await load(parts, next);
    [file, number] = [next, number + 1];
    /** @type {Head | null} */
    let own = null;
    await readBeside(parts.worker, bytes, steps.all.at(-1)?.total ?? NOTHING, (piece) => {
      if ("head" in piece) {
        showHead(parts, (own = piece.head), number);
        if (number === 1) tell(own.count);
      }
      else if ("agent" in piece) agents.set(piece.agent.id, { head: piece.agent, steps: piece.steps });
      else {
        const first = wanted || round === null ? undefined : piece.steps.find((step) => step.round === round);
        if (first) {
          wanted = nameOf(number, first.number).anchor;
          if (own && number === 1) tell(own.count, first.number);
        }
        void steps.add(piece.steps, number);
      }
    });
    await steps.add([], number);
    if (due) arrive("", due);
    const following = own ? leadOn(parts, /** @type {Head} */ (own), file, tried) : null;
    await search();
    const wantedFile = Number(/^part-(\d{1,4})-/.exec(wanted)?.[1] ?? 1);
    if (following && wantedFile > number) await tried(following);
  };
  /** @param {URL} next */
  const tried = async (next) => {
    const leads = [...parts.more.querySelectorAll("button")];
    for (const lead of leads) lead.disabled = true; // a second press would show the file twice
    await open(next).catch((error) => showTrouble(parts, error, next, tried));
    for (const lead of leads) lead.disabled = false;
  };
  return tried;
}

/** Go to a step and mark it as the step in the address. @param {string} anchor */
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
  actions.replaceChildren(button("Stop", () => stopping.abort()));
  told.textContent = "Loading the transcript…";
  let spoke = performance.now();
  const bytes = await fetchFile(file, stopping.signal, (text) => {
    if (performance.now() - spoke < SILENCE) return;
    told.textContent = `Loading the transcript: ${text}.`;
    spoke = performance.now();
  });
  actions.replaceChildren();
  told.textContent = "Reading the transcript…";
  return bytes;
}

/** @param {Parts} parts @param {unknown} error @param {URL} file @param {(file: URL) => void} open */
function showTrouble({ told, actions }, error, file, open) {
  told.textContent = `The transcript cannot be shown. ${troubled(error, file)}`;
  actions.replaceChildren(button("Try again", () => open(file)), element("a", "Open the raw file", { href: file.href }));
}

/** @param {unknown} error @param {URL} file @returns {string} */
function troubled(error, file) {
  const about = error instanceof Error ? error.message : String(error);
  return troubleText(error instanceof Trouble ? error : new Trouble("text", about), file.host);
}

/** @param {Parts} parts @param {Head} head @param {number} number  of the file, from 1 */
function showHead({ facts, reader, told }, head, number) {
  const pairs = [
    ...head.facts,
    ["Total effort", spentText(head.total)],
    ["Stated in the file", spentText(head.stated ?? NOTHING)],
    ["Notes", head.notes],
  ];
  const list = pairs.filter(([, text]) => text).map(([name, text]) => element("div", [element("dt", name), element("dd", text)]));
  facts.append(...(number > 1 ? [element("h3", `Part ${number}`)] : []), element("dl", list));
  told.textContent = head.isKnown ? "" : "This version of the format is unknown; parts that could not be read are left out.";
  reader.hidden = false;
}

/** Link to the file in which a transcript continues. @param {Parts} parts @param {Head} head @param {URL} file @param {(file: URL) => void} open @returns {URL | null} that file */
function leadOn({ more }, head, file, open) {
  const next = head.next ? beside(file, head.next) : null;
  if (!head.next) more.replaceChildren();
  else if (!next) more.replaceChildren(`The transcript continues in ${head.next}, which is not beside this file.`);
  else more.replaceChildren(`The transcript continues in ${head.next}. `, button("Load the rest", () => open(next)));
  return next;
}

/** Link to another agent's transcript. @param {Reference} reference @param {Around} around @returns {Node[]} */
function referral(reference, around) {
  const { agents, file, worker } = around;
  const inside = reference.id ? agents.get(reference.id) : undefined;
  const name = inside?.head.facts[0]?.[1] || reference.file || reference.id || "another agent";
  const next = reference.file ? beside(file(), reference.file) : null;
  const refer = (/** @type {readonly ShownStep[]} */ steps) => nestedSteps(steps, (deeper) => referral(deeper, around));
  const line = element("p", [], { className: "sg-block-label" });
  const place = element("div");
  if (inside) line.append(button(`Show what ${name} did (${counted(inside.head.count, "step")})`, () => place.replaceChildren(refer(inside.steps))));
  else if (next) {
    line.append(button(`Load ${reference.file}`, async () => {
      place.replaceChildren(await stepsOf(next, worker).then(refer, (error) => troubled(error, next)));
    }));
  } else line.append(`The transcript of ${name} is neither in this file nor in one named beside it.`);
  return [line, place];
}

/** @param {URL} file @param {string} worker @returns {Promise<ShownStep[]>} the steps of another agent's transcript */
async function stepsOf(file, worker) {
  /** @type {ShownStep[]} */
  const steps = [];
  await readBeside(worker, await fetchFile(file), NOTHING, (piece) => {
    if ("steps" in piece && !("agent" in piece)) steps.push(...piece.steps);
  });
  return steps;
}
