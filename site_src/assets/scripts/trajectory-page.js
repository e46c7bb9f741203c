// @ts-check
/** What the page of a submission's transcripts loads. It lists every run before this runs. */

import { element } from "./element.js";
import { button, mountReader } from "./trajectory-open.js";
import { fileOf, found, readAsked, runTitle, writeAsked } from "./trajectory-place.js";

/** @typedef {import("./trajectory-place.js").Run} Run */
/** @typedef {Run & { row: HTMLTableRowElement, link: HTMLAnchorElement, page: string }} Listed  `page` is the run's own */

/** @template {Element} Kind @param {string} selector @param {new () => Kind} kind @param {ParentNode} [place] @returns {Kind} */
function part(selector, kind, place = document) {
  const made = place.querySelector(selector);
  if (!(made instanceof kind)) throw new Error(`the page lacks ${selector}`);
  return made;
}

/** Show the transcript that the address asks for, or let a reader choose one. */
function mountTrajectories() {
  const section = part("[data-transcript]", HTMLElement);
  const list = part("[data-runs]", HTMLDetailsElement);
  const { pattern = "", root = "", round: word = "" } = section.dataset;
  const site = new URL(root, location.href).href;
  const runs = listed(list);
  for (const run of runs) run.link.href = writeAsked(run);
  const asked = readAsked(location.search);
  const matching = /** @type {Listed[]} */ (found(runs, asked));
  const told = part("[data-told]", HTMLElement, section);
  section.hidden = asked.task === null;
  if (asked.task !== null && !matching.length) told.textContent = "This submission has no transcript of that run. Choose one below.";
  if (matching.length > 1) {
    told.textContent = "There are several transcripts of that task. Choose one below.";
    keepOnly(runs, matching);
  }
  if (matching.length === 1) {
    list.open = false;
    show(section, matching[0], neighbours(runs, matching[0]), { file: fileOf(pattern, matching[0], site), word, round: asked.round });
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

/** @param {readonly Listed[]} runs @param {readonly Listed[]} kept */
function keepOnly(runs, kept) {
  const rows = new Set(kept.map(({ row }) => row));
  for (const { row } of runs) row.hidden = !rows.has(row);
}

/** @param {readonly Listed[]} runs @param {Listed} run @returns {(Listed | undefined)[]} the one before and the one after, of the same task */
function neighbours(runs, run) {
  const at = runs.indexOf(run);
  return [runs[at - 1], runs[at + 1]].map((each) => (each?.task === run.task ? each : undefined));
}

/**
 * @param {HTMLElement} section @param {Listed} run @param {readonly (Listed | undefined)[]} beside  the transcripts before and after
 * @param {{ file: URL, word: string, round: number | null }} about
 */
function show(section, run, beside, { file, word, round }) {
  const title = `${section.dataset.agent ?? ""} on ${runTitle(run, word)}`;
  document.title = `${title} · ${document.title}`;
  part("h1", HTMLElement).textContent = title;
  run.link.setAttribute("aria-current", "page");
  part("[data-ways]", HTMLElement, section).replaceChildren(...ways(run, beside, file, word).map((link) => element("li", "", { inside: [link] })));
  const parts = partsOf(section);
  parts.bar.field.value = new URLSearchParams(location.search).get("find") ?? "";
  const reader = mountReader(parts, run.round === null ? round : null);
  if (file.origin === location.origin) return void reader.open(file);
  parts.told.textContent = `The file lies on ${file.host}. Nothing is asked of it until you press the button; then it learns your network address.`;
  parts.actions.replaceChildren(button(`Load from ${file.host} (size unknown)`, () => void reader.open(file)));
}

/** @param {Listed} run @param {readonly (Listed | undefined)[]} beside @param {URL} file @param {string} word @returns {HTMLAnchorElement[]} */
function ways(run, [before, after], file, word) {
  const attempt = run.attempt === 1 ? "" : `attempt-${run.attempt}-`;
  const anchor = run.round === null ? "" : `#${attempt}round-${run.round}`;
  /** @param {string} text @param {string} href */
  const link = (text, href) => Object.assign(element("a", text), { href });
  /** @param {Run} other */
  const name = (other) => (other.round === null || other.attempt !== run.attempt ? `Attempt ${other.attempt}` : `${word[0].toUpperCase()}${word.slice(1)} ${other.round}`);
  return [
    ...(before ? [link(`← ${name(before)}`, writeAsked(before))] : []),
    ...(after ? [link(`${name(after)} →`, writeAsked(after))] : []),
    link("What came of it", `${run.page.split("#")[0]}${anchor}`),
    link("Raw file", file.href),
  ];
}

/** @param {HTMLElement} section @returns {import("./trajectory-open.js").Parts} */
function partsOf(section) {
  /** @param {string} name */
  const at = (name) => part(`[data-${name}]`, HTMLElement, section);
  /** @param {string} name */
  const press = (name) => part(`[data-${name}]`, HTMLButtonElement, section);
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

mountTrajectories();
