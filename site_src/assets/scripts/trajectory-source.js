// @ts-check
/** Locating and loading transcripts: the transcript in an address, its file, and why it can't be loaded. */

/** @import { Piece } from "./trajectory-worker.js" */
/** @import { Spent } from "./trajectory-text.js" */

/** One transcript; the title names the attempt if there are several, and the transcript of a complete attempt has no round. @typedef {{ task: string, title: string, attempt: number, round: number | null }} Run */

/** @typedef {{ task: string | null, attempt: number | null, round: number | null }} Asked  null if not in the address */
/** @typedef {"offline" | "insecure" | "unreachable" | "missing" | "refused" | "failed" | "large" | "text" | "foreign" | "stopped"} Kind */

/** The name of a file in the same folder. */
const BESIDE = /^[A-Za-z0-9][A-Za-z0-9._-]*\.json$/;
const MEGABYTE = 1_000_000;

/** The size of the largest file that is read, in bytes. */
export const LARGEST = 200 * MEGABYTE;

/** @param {string} search  the query of the page's address @returns {Asked} */
export function readAsked(search) {
  const query = new URLSearchParams(search);
  const number = (/** @type {string} */ name) => (/^[1-9]\d{0,4}$/.test(query.get(name) ?? "") ? Number(query.get(name)) : null);
  return { task: query.get("task"), attempt: number("attempt"), round: number("round") };
}

/** @param {Run} run @returns {string} the query for it */
export function writeAsked({ task, attempt, round }) {
  const query = new URLSearchParams({ task, attempt: String(attempt) });
  if (round !== null) query.set("round", String(round));
  return `?${query}`;
}

/**
 * Find the transcripts that match an address. In the transcript of a complete attempt, the round is a position.
 * @template {Run} Found @param {readonly Found[]} runs @param {Asked} asked @returns {Found[]} one if the address is specific enough; none without a task
 */
export function found(runs, { task, attempt, round }) {
  if (task === null) return [];
  return runs.filter(
    (run) => run.task === task && (attempt === null || run.attempt === attempt) && (round === null || run.round === null || run.round === round),
  );
}

/** @param {string} pattern  of the submission: an address, or a path below the site's root @param {Run} run @param {string} root  the site's @returns {URL} */
export function fileOf(pattern, { task, attempt, round }, root) {
  const path = pattern
    .replaceAll("{task}", encodeURIComponent(task))
    .replaceAll("{attempt}", String(attempt))
    .replaceAll("{round}", String(round ?? ""));
  return new URL(path, root);
}

/** @param {URL} file @param {string} name  of another file, in its text @returns {URL | null} null if the name is not in the same folder */
export function beside(file, name) {
  const plain = name.replace(/^\.\//, "");
  return BESIDE.test(plain) ? new URL(plain, file) : null;
}

/** @param {Run} run @param {string} word  for a round @returns {string} "Tidy ledger, attempt 2, round 3" */
export function runTitle({ title, round }, word) {
  return round === null ? title : `${title}, ${word} ${round}`;
}

/** The reason why a transcript could not be loaded. */
export class Trouble extends Error {
  /** @param {Kind} kind @param {string} [about]  details: a status, a size, a position in the text */
  constructor(kind, about = "") {
    super(kind);
    this.kind = kind;
    this.about = about;
  }
}

/** @param {number} status  of a failed response @returns {Trouble} */
export function refusal(status) {
  if (status === 404 || status === 410) return new Trouble("missing", String(status));
  if (status === 401 || status === 403) return new Trouble("refused", String(status));
  return new Trouble("failed", String(status));
}

/** The message for each kind of trouble. @type {Readonly<Record<Kind, (about: string, host: string) => string>>} */
const WORDS = {
  offline: () => "This device is offline. Reconnect, then try again.",
  insecure: (_, host) => `${host} serves the file without encryption, which browsers block on this page. Open the raw file instead.`,
  unreachable: (_, host) =>
    `${host} did not answer or does not let this page read the file: it must answer at this address without a redirect, with the header Access-Control-Allow-Origin. Open the raw file instead, or try again later.`,
  missing: (status, host) => `${host} has no file at this address (status ${status}). The submitter may have moved it; the submission page names the submitter.`,
  refused: (status, host) => `${host} does not serve this file publicly (status ${status}). Open the raw file; you may have to sign in.`,
  failed: (status, host) => `${host} answered with an error (status ${status}). Try again later, or open the raw file.`,
  large: (size) => `The file is larger than a page can show (${size}; the limit is ${sizeText(LARGEST)}). Download the raw file and open it in another program.`,
  text: (about) => `The file is not JSON${about && ": "}${about}. It may be compressed or truncated. Open the raw file to inspect it.`,
  foreign: () => "The file is JSON but not an ATIF transcript: it has no list of steps. Open the raw file to inspect it.",
  stopped: () => "Loading was stopped.",
};

/** @param {Trouble} trouble @param {string} host @returns {string} */
export function troubleText({ kind, about }, host) {
  return WORDS[kind](about, host || "The server");
}

/** @param {number} bytes @returns {string} */
export function sizeText(bytes) {
  if (bytes < MEGABYTE) return `${Math.max(1, Math.round(bytes / 1000))} KB`;
  return `${(bytes / MEGABYTE).toFixed(bytes < 10 * MEGABYTE ? 1 : 0)} MB`;
}

/**
 * @param {URL} file @param {AbortSignal} [signal] @param {(text: string) => void} [tell]  called with a text on the progress @returns {Promise<Uint8Array<ArrayBuffer>>}
 * @throws {Trouble} if it can't be loaded
 */
export async function fetchFile(file, signal, tell = () => {}) {
  if (location.protocol === "https:" && file.protocol === "http:") throw new Trouble("insecure");
  try {
    const answer = await fetch(file, { signal, referrerPolicy: "no-referrer", credentials: "same-origin" });
    if (!answer.ok) throw refusal(answer.status);
    const size = Number(answer.headers.get("Content-Length")) || 0;
    if (size > LARGEST) throw new Trouble("large", sizeText(size));
    return await collect(answer, size, tell);
  } catch (error) {
    if (error instanceof Trouble) throw error;
    if (signal?.aborted) throw new Trouble("stopped");
    throw new Trouble(navigator.onLine ? "unreachable" : "offline");
  }
}

/** @param {Response} answer @param {number} size  0 if not known @param {(text: string) => void} tell */
async function collect(answer, size, tell) {
  const reader = answer.body?.getReader();
  /** @type {Uint8Array[]} */
  const parts = [];
  let come = 0;
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    parts.push(part.value);
    come += part.value.length;
    if (come > LARGEST) {
      await reader?.cancel();
      throw new Trouble("large", `more than ${sizeText(LARGEST)}`);
    }
    tell(size > come ? `${sizeText(come)} of ${sizeText(size)}` : sizeText(come));
  }
  const whole = new Uint8Array(come);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/**
 * Read a transcript in a worker.
 * @param {string} reader  address of the script that reads @param {Uint8Array<ArrayBuffer>} bytes  transferred to the worker @param {Spent} before  spent in the files before this one
 * @param {(piece: Piece) => void} take @returns {Promise<void>} resolved when all pieces were taken @throws {Trouble} if it is not a transcript
 */
export function readBeside(reader, bytes, before, take) {
  const worker = new Worker(reader, { type: "module" });
  return /** @type {Promise<void>} */ (
    new Promise((resolve, reject) => {
      worker.addEventListener("message", ({ data }) => {
        if ("trouble" in data) reject(new Trouble(data.trouble, data.about));
        else if ("done" in data) resolve();
        else take(data);
      });
      worker.addEventListener("error", () => reject(new Trouble("text", "it could not be read completely")));
      worker.postMessage({ bytes: bytes.buffer, before }, [bytes.buffer]);
    })
  ).finally(() => worker.terminate());
}
