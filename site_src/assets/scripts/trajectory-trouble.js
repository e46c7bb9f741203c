// @ts-check
/** Why a transcript cannot be shown, and what to do about it, in words. Pure. */

/** @typedef {"offline" | "insecure" | "unreachable" | "missing" | "refused" | "failed" | "large" | "text" | "foreign" | "stopped"} Kind */

const MEGABYTE = 1_000_000;

/** The largest file that is read. In bytes. */
export const LARGEST = 200 * MEGABYTE;

/** Why a transcript could not be had. */
export class Trouble extends Error {
  /** @param {Kind} kind @param {string} [about]  what is known of it: a status, a size, a place in the text */
  constructor(kind, about = "") {
    super(kind);
    this.kind = kind;
    this.about = about;
  }
}

/** @param {number} status  of an answer that is no success @returns {Trouble} */
export function refusal(status) {
  if (status === 404 || status === 410) return new Trouble("missing", String(status));
  if (status === 401 || status === 403) return new Trouble("refused", String(status));
  return new Trouble("failed", String(status));
}

/** @type {Readonly<Record<Kind, (about: string, host: string) => string>>} */
const WORDS = {
  offline: () => "This device is offline. Connect it, then try again.",
  insecure: (_, host) => `${host} serves the file without encryption, and browsers refuse to mix that into this page. Open the raw file instead.`,
  unreachable: (_, host) =>
    `${host} did not answer, or does not let this page read the file: it has to answer at that address itself, with the header Access-Control-Allow-Origin. Open the raw file instead, or try again later.`,
  missing: (status, host) => `${host} has no file at this address (status ${status}). The submitter may have moved it; the submission's page says who that is.`,
  refused: (status, host) => `${host} does not give this file to everybody (status ${status}). Open the raw file where you may have to sign in.`,
  failed: (status, host) => `${host} answered with an error (status ${status}). Try again later, or open the raw file.`,
  large: (size) => `The file is larger than a page can show (${size}; the limit is ${sizeText(LARGEST)}). Download the raw file and read it with a program.`,
  text: (about) => `The file is no JSON${about && ": "}${about}. It may be packed, or cut off. Open the raw file to see what it is.`,
  foreign: () => "The file is JSON, but no transcript in ATIF: it has no list of steps. Open the raw file to see what it is.",
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
