// @ts-check
/** Cases that do not fit on a page: the file of their round is fetched on demand. */

import { button, element } from "./element.js";

/** @typedef {"passed" | "failed" | "error" | "skipped"} Status */
/** @typedef {readonly [attempt: number, suite: number | null, outcomes: string]} Attempt */
/** @typedef {{ letters: Readonly<Record<string, Status>>, suites: readonly (readonly string[])[], rows: Readonly<Record<string, readonly Attempt[]>> }} Outcomes */
/** @typedef {{ name: string, status: Status }} Ended */

/** The mark after the name of a case, by status. */
const MARKS = { passed: "✓", failed: "✗", error: "! error", skipped: "– skipped" };

/** @param {Outcomes} file @param {string} id @param {number} attempt @returns {Ended[]} the status of each case; cases that did not pass come first */
export function casesOf(file, id, attempt) {
  const found = file.rows[id]?.find(([number]) => number === attempt);
  if (!found) return [];
  const [, suite, outcomes] = found;
  const cases = [...outcomes].map((letter, place) => ({ name: nameAt(file, suite, place), status: file.letters[letter] ?? "skipped" }));
  return [...cases.filter(({ status }) => status !== "passed"), ...cases.filter(({ status }) => status === "passed")];
}

/** @param {Outcomes} file @param {string} name @returns {{ id: string, passed: number, of: number, worst: Status }[]} the outcomes of a case for each agent that has it */
export function agentsOf(file, name) {
  return Object.entries(file.rows).flatMap(([id, attempts]) => {
    const ended = attempts.flatMap(([, suite, outcomes]) => {
      const place = suite === null ? Number(/^case-(\d+)$/.exec(name)?.[1] ?? 0) - 1 : (file.suites[suite] ?? []).indexOf(name);
      const status = file.letters[outcomes[place] ?? ""];
      return status ? [status] : [];
    });
    if (!ended.length) return [];
    const worst = /** @type {const} */ (["failed", "error", "skipped", "passed"]).find((status) => ended.includes(status)) ?? "passed";
    return [{ id, passed: ended.filter((status) => status === "passed").length, of: ended.length, worst }];
  });
}

/** @param {Outcomes} file @param {number | null} suite @param {number} place @returns {string} */
function nameAt(file, suite, place) {
  return (suite === null ? undefined : file.suites[suite]?.[place]) ?? `case-${place + 1}`;
}

/** @type {(name: string, status: Status, text: string) => HTMLElement} */
const caseElement = (name, status, text) => element("span", text, {}, { case: name, status });

/** Adds a button to each line whose cases are not on the page. */
export function mountOutcomes() {
  for (const table of /** @type {NodeListOf<HTMLTableElement>} */ (document.querySelectorAll("table[data-outcomes]"))) {
    mountTable(table, table.dataset.outcomes ?? "");
  }
}

/** @param {HTMLTableElement} table @param {string} address */
function mountTable(table, address) {
  const { submission } = table.dataset;
  for (const row of table.querySelectorAll("tbody tr[id]")) {
    const place = row instanceof HTMLTableRowElement ? row.cells[row.cells.length - 1] : undefined;
    if (!(row instanceof HTMLTableRowElement) || !place) continue;
    if (submission !== undefined && place.dataset.total) {
      const [, attempt = "1", round = ""] = /^(?:attempt-(\d+)-)?round-(\d+)$/.exec(row.id) ?? [];
      mountButton(place, `all ${place.dataset.total}`, `${address}${round}.json`, (file) =>
        casesOf(file, submission, Number(attempt)).map(({ name, status }) => caseElement(name, status, `${name} ${MARKS[status]}`)));
    } else if (row.dataset.name !== undefined) {
      const { name } = row.dataset;
      mountButton(place, "by agent", address, (file) => agentsOf(file, name).map(({ id, passed, of, worst }) =>
        caseElement(name, worst, of > 1 ? `${id} ${passed}/${of}` : `${id} ${MARKS[worst]}`)));
    }
  }
}

/** @param {HTMLElement} place @param {string} text @param {string} address @param {(file: Outcomes) => HTMLElement[]} shown */
function mountButton(place, text, address, shown) {
  const told = element("p", [], { className: "sg-names", ariaLive: "polite" });
  const opener = button(text, () => {
    if (opener.ariaExpanded === "true") {
      told.replaceChildren();
      opener.ariaExpanded = "false";
      return;
    }
    opener.ariaExpanded = "true";
    told.replaceChildren("…");
    fetched(address).then(
      (file) => told.replaceChildren(...shown(file).flatMap((each) => [each, " "])),
      () => told.replaceChildren("could not be read; the submitted records have it"),
    );
  }, "sg-more");
  opener.ariaExpanded = "false";
  place.append(" ", opener, told);
}

/** @type {Map<string, Promise<Outcomes>>} */
const files = new Map();

/** @param {string} address @returns {Promise<Outcomes>} */
function fetched(address) {
  const known = files.get(address) ?? fetch(address).then((answer) => {
    if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
    return answer.json();
  });
  files.set(address, known);
  known.catch(() => files.delete(address));
  return known;
}
