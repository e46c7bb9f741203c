// @ts-check
/** Fetches a transcript and has it read. Only what it is told to, and only when it is told to. */

import { LARGEST, Trouble, refusal, sizeText } from "./trajectory-trouble.js";

/** @typedef {import("./trajectory-worker.js").Piece} Piece */
/** @typedef {import("./trajectory-atif.js").Spent} Spent */

/**
 * @param {URL} file
 * @param {AbortSignal} signal
 * @param {(text: string) => void} tell  is told how much has come
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 * @throws {Trouble} where it cannot be had
 */
export async function fetchFile(file, signal, tell) {
  if (location.protocol === "https:" && file.protocol === "http:") throw new Trouble("insecure");
  try {
    const answer = await fetch(file, { signal, referrerPolicy: "no-referrer", credentials: "same-origin" });
    if (!answer.ok) throw refusal(answer.status);
    const size = Number(answer.headers.get("Content-Length")) || 0;
    if (size > LARGEST) throw new Trouble("large", sizeText(size));
    return await collect(answer, size, tell);
  } catch (error) {
    if (error instanceof Trouble) throw error;
    if (signal.aborted) throw new Trouble("stopped");
    throw new Trouble(navigator.onLine ? "unreachable" : "offline");
  }
}

/** @param {Response} answer @param {number} size  0 where it is not told @param {(text: string) => void} tell */
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
 * Read a transcript beside the page.
 *
 * @param {string} reader  address of the script that reads
 * @param {Uint8Array<ArrayBuffer>} bytes  are given away
 * @param {Spent} before  spent in the files before this one
 * @param {(piece: Piece) => void} take
 * @returns {Promise<void>} when all of it was taken
 * @throws {Trouble} where it is no transcript
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
      worker.addEventListener("error", () => reject(new Trouble("text", "it could not be read to its end")));
      worker.postMessage({ bytes: bytes.buffer, before }, [bytes.buffer]);
    })
  ).finally(() => worker.terminate());
}
