// @ts-check
/** Marks hits in steps when these come into sight, and takes the marks away again. */

import { element } from "./element.js";
import { hitsIn } from "./trajectory-search.js";
import { comeTo } from "./trajectory-sight.js";
import { openFold } from "./trajectory-step.js";

/** @typedef {import("./trajectory-search.js").Found} Found */
/** @typedef {import("./trajectory-steps.js").Steps} Steps */

/**
 * @typedef {object} Marks
 * @property {(pattern: RegExp | null, found: readonly Found[]) => void} show  keeps the steps found, and marks their hits; without a pattern keeps all
 * @property {(index: number, within: number) => void} go  to a hit: the index of its step, and its number there
 */

/** The texts of a step itself, not those of transcripts inside it. */
const TEXTS = [".sg-words", ".sg-block-label", ".sg-fold > .sg-words", ".sg-fold > summary > .sg-block-label"]
  .map((text) => `:scope > .sg-block > ${text}`)
  .join(", ");

/** @param {Steps} steps @returns {Marks} */
export function mountMarks(steps) {
  /** @type {RegExp | null} */
  let wanted = null;
  /** @type {Set<Element>} */
  const marked = new Set();
  /** @type {HTMLDetailsElement[]} */
  const opened = [];
  /** @param {Element} card */
  const mark = (card) => {
    if (!wanted || marked.has(card)) return;
    marked.add(card);
    opened.push(...openHits(card, steps, wanted));
    for (const text of card.querySelectorAll(TEXTS)) markHits(text, wanted);
  };
  const cards = seen(mark);
  const flocks = seen((flock) => [...flock.children].forEach((card) => cards.observe(card)));
  return {
    show(pattern, found) {
      cards.disconnect();
      flocks.disconnect();
      marked.forEach(unmark);
      marked.clear();
      for (const fold of opened.splice(0)) fold.open = false;
      wanted = pattern;
      keepFound(steps, pattern && found).forEach((flock) => flocks.observe(flock));
    },
    go(index, within) {
      const card = steps.at(index);
      if (!card) return;
      mark(card);
      document.querySelector("mark[data-current]")?.removeAttribute("data-current");
      const hit = card.querySelectorAll("mark")[within];
      hit?.setAttribute("data-current", "");
      comeTo(hit ?? card, "center");
    },
  };
}

/** @param {(element: Element) => void} act  on what comes near to being seen @returns {IntersectionObserver} */
function seen(act) {
  const near = (/** @type {IntersectionObserverEntry[]} */ entries) => entries.forEach(({ isIntersecting, target }) => isIntersecting && act(target));
  return new IntersectionObserver(near, { rootMargin: "50% 0%" });
}

/** Hide the steps without a hit, and flocks that have no others. @param {Steps} steps @param {readonly Found[] | null} found  null for all @returns {Set<HTMLElement>} the flocks that are kept */
function keepFound(steps, found) {
  const kept = found && new Set(found.map(({ index }) => index));
  /** @type {Set<HTMLElement>} */
  const flocks = new Set();
  /** @type {Set<HTMLElement>} */
  const left = new Set();
  for (const index of steps.all.keys()) {
    const card = steps.at(index);
    const flock = card?.parentElement;
    if (!card || !flock) continue;
    const isKept = !kept || kept.has(index);
    if (card.hidden === isKept) card.hidden = !isKept;
    (isKept ? flocks : left).add(flock);
  }
  for (const flock of left) flock.hidden = !flocks.has(flock);
  for (const flock of flocks) flock.hidden = false;
  for (const flock of flocks) flock.toggleAttribute("data-thinned", left.has(flock));
  return kept ? flocks : new Set();
}

/** Open the folds of a step that hold a hit. @param {Element} card @param {Steps} steps @param {RegExp} pattern @returns {HTMLDetailsElement[]} those that were closed */
function openHits(card, steps, pattern) {
  const blocks = steps.all[steps.indexOf(card)]?.blocks ?? [];
  return [...card.querySelectorAll(":scope > .sg-block")].flatMap((block, at) => {
    const fold = block.querySelector(":scope > details");
    const rest = blocks[at].text.slice(blocks[at].shown);
    if (!(fold instanceof HTMLDetailsElement) || fold.open || !hitsIn(rest, pattern).length) return [];
    openFold(fold);
    return [fold];
  });
}

/** @param {Element} place  of one text @param {RegExp} pattern */
function markHits(place, pattern) {
  const text = place.textContent ?? "";
  const hits = hitsIn(text, pattern);
  if (!hits.length) return;
  const ends = [0, ...hits.map(([, to]) => to)];
  const parts = hits.flatMap(([from, to], at) => [text.slice(ends[at], from), element("mark", text.slice(from, to))]);
  (place.querySelector("code") ?? place).replaceChildren(...parts, text.slice(ends[hits.length]));
}

/** @param {Element} card */
function unmark(card) {
  for (const place of card.querySelectorAll(TEXTS)) {
    if (place.querySelector("mark")) (place.querySelector("code") ?? place).replaceChildren(place.textContent ?? "");
  }
}
