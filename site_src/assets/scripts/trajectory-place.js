// @ts-check
/** Where transcripts are: which runs there are, which one an address asks for, and where its file lies. Pure. */

/**
 * One transcript that the submission's own pattern leads to.
 *
 * @typedef {{ task: string, title: string, attempt: number, round: number | null }} Run  `round` is null for a whole attempt; the title names the attempt where there are several
 */

/** @typedef {{ task: string | null, attempt: number | null, round: number | null }} Asked  null where the address does not say */

/** A file beside another one; nothing that leads to another folder. */
const BESIDE = /^[A-Za-z0-9][A-Za-z0-9._-]*\.json$/;

/** @param {string} search  the query of the page's address @returns {Asked} */
export function readAsked(search) {
  const query = new URLSearchParams(search);
  /** @param {string} name */
  const number = (name) => (/^[1-9]\d{0,4}$/.test(query.get(name) ?? "") ? Number(query.get(name)) : null);
  return { task: query.get("task"), attempt: number("attempt"), round: number("round") };
}

/** @param {Run} run @returns {string} the query that asks for it */
export function writeAsked({ task, attempt, round }) {
  const query = new URLSearchParams({ task, attempt: String(attempt) });
  if (round !== null) query.set("round", String(round));
  return `?${query}`;
}

/**
 * Find the transcripts that an address asks for. Of a whole attempt's, the round is a place inside.
 *
 * @param {readonly Run[]} runs @param {Asked} asked @returns {Run[]} one where it says enough; none where it asks for nothing
 */
export function found(runs, { task, attempt, round }) {
  if (task === null) return [];
  return runs.filter(
    (run) => run.task === task && (attempt === null || run.attempt === attempt) && (round === null || run.round === null || run.round === round),
  );
}

/**
 * Give the address of a transcript.
 *
 * @param {string} pattern  of the submission: an address, or a path below the site's root
 * @param {Run} run
 * @param {string} root  the site's
 * @returns {URL}
 */
export function fileOf(pattern, { task, attempt, round }, root) {
  const path = pattern
    .replaceAll("{task}", encodeURIComponent(task))
    .replaceAll("{attempt}", String(attempt))
    .replaceAll("{round}", String(round ?? ""));
  return new URL(path, root);
}

/**
 * Give the address of a file that a transcript names: one beside it, never elsewhere.
 *
 * @param {URL} file @param {string} name @returns {URL | null} null where the name leads elsewhere
 */
export function beside(file, name) {
  const plain = name.replace(/^\.\//, "");
  return BESIDE.test(plain) ? new URL(plain, file) : null;
}

/** @param {Run} run @param {string} word  for a round @returns {string} "Tidy ledger, attempt 2, round 3" */
export function runTitle({ title, round }, word) {
  return round === null ? title : `${title}, ${word} ${round}`;
}
