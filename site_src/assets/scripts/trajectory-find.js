// @ts-check
/** Search in a transcript: steps without a hit are hidden, hits are marked when they come into view, and a reader steps from hit to hit. */

/** @import { Block } from "./trajectory-atif.js" */
/** @import { Steps } from "./trajectory-steps.js" */
import { element } from "./element.js";
import { comeTo, inTurns, openFold } from "./trajectory-steps.js";
import { count, counted } from "./trajectory-text.js";

/** @typedef {{ index: number, hits: number }} Found  a step with hits: its index, and the number of hits */

/** `told` is the element for the number of hits. @typedef {Record<"previous" | "next", HTMLButtonElement> & { field: HTMLInputElement, told: HTMLElement }} Bar */

/**
 * @typedef {object} Marks
 * @property {(pattern: RegExp | null, found: readonly Found[]) => void} show  shows the steps found, and marks their hits; without a pattern shows all
 * @property {(index: number, within: number) => void} go  goes to a hit: the index of its step, and its number in the step
 */

/** How long to wait for the next letter, in milliseconds. */
const PAUSE = 200;
/** The texts of a step itself, without transcripts nested in it. */
const TEXTS = [".sg-words", ".sg-block-label", ".sg-fold > .sg-words", ".sg-fold > summary > .sg-block-label"]
  .map((text) => `:scope > .sg-block > ${text}`)
  .join(", ");

/** @param {Bar} bar @param {Steps} steps @returns {() => Promise<void>} searches the loaded steps for the text in the field */
export function mountFind(bar, steps) {
  const { field, previous, next } = bar;
  const marks = mountMarks(steps);
  /** @type {readonly Found[]} */
  let found = [];
  let current = -1;
  let asked = 0;
  const search = async () => {
    const mine = ++asked;
    const pattern = patternOf(field.value);
    const hits = await hitsOf(steps, pattern, () => mine !== asked);
    if (mine !== asked) return;
    [found, current] = [hits, -1];
    marks.show(pattern, found);
    tell(bar, steps, found, current);
  };
  /** @param {1 | -1} step */
  const go = (step) => {
    const isInSight = (/** @type {Found} */ { index }) => (steps.at(index)?.getBoundingClientRect().bottom ?? 0) > 0; // or below the window
    const from = current < 0 && step > 0 ? hitBefore(found, found.find(isInSight)?.index ?? 0) : current;
    const hit = nextHit(found, from, step);
    if (!hit) return;
    current = hit.current;
    marks.go(hit.index, hit.within);
    tell(bar, steps, found, current);
  };
  previous.addEventListener("click", () => go(-1));
  next.addEventListener("click", () => go(1));
  mountField(field, search, go);
  return search;
}

/**
 * Search when a reader pauses or presses Enter, and store the search text in the address.
 * @param {HTMLInputElement} field @param {() => Promise<void>} search @param {(step: 1 | -1) => void} go
 */
function mountField(field, search, go) {
  let timer = 0;
  let searched = Promise.resolve();
  const begin = () => {
    timer = 0;
    const query = new URLSearchParams(location.search);
    if (field.value.trim()) query.set("find", field.value.trim());
    else query.delete("find");
    history.replaceState(null, "", `${location.pathname}?${query}${location.hash}`);
    searched = search();
  };
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = window.setTimeout(begin, PAUSE);
  });
  field.form?.addEventListener("submit", (event) => event.preventDefault());
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    clearTimeout(timer);
    if (timer) begin(); // the text typed just now has not been searched yet
    void searched.then(() => go(event.shiftKey ? -1 : 1));
  });
}

/** @param {Steps} steps @param {RegExp | null} pattern @param {() => boolean} isOver  whether another search has begun @returns {Promise<Found[]>} */
async function hitsOf(steps, pattern, isOver) {
  /** @type {Found[]} */
  const found = [];
  if (!pattern) return found;
  await inTurns(steps.all, ({ blocks }, index) => {
    const hits = hitCount(blocks, pattern);
    if (hits) found.push({ index, hits });
  }, isOver);
  return found;
}

/** @param {Bar} bar @param {Steps} steps @param {readonly Found[]} found @param {number} current */
function tell({ field, told, previous, next }, steps, found, current) {
  const total = found.reduce((sum, { hits }) => sum + hits, 0);
  const where = `${counted(total, "hit")} in ${count(found.length)} of ${counted(steps.all.length, "step")}`;
  told.textContent = !patternOf(field.value) ? "" : current < 0 ? where : `${count(current + 1)} of ${where}`;
  previous.disabled = next.disabled = !total;
}

/** @param {Steps} steps @returns {Marks} */
function mountMarks(steps) {
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

/** @param {(element: Element) => void} act  called with elements that come near the view @returns {IntersectionObserver} */
function seen(act) {
  const near = (/** @type {IntersectionObserverEntry[]} */ entries) => entries.forEach(({ isIntersecting, target }) => isIntersecting && act(target));
  return new IntersectionObserver(near, { rootMargin: "50% 0%" });
}

/**
 * Hide the steps without a hit, and flocks without any other steps.
 * @param {Steps} steps @param {readonly Found[] | null} found  null for all @returns {Set<HTMLElement>} the flocks that are still shown
 */
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

/** Open the folds of a step that contain a hit. @param {Element} card @param {Steps} steps @param {RegExp} pattern @returns {HTMLDetailsElement[]} the folds that were closed */
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

/** @param {Element} place  the element of one text @param {RegExp} pattern */
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

/** @param {string} words @returns {RegExp | null} a case-insensitive pattern; null without words */
export function patternOf(words) {
  const wanted = words.trim();
  return wanted ? new RegExp(wanted.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "giu") : null;
}

/** @param {string} text @param {RegExp} pattern  global @returns {[number, number][]} the start and end of each hit */
export function hitsIn(text, pattern) {
  return [...text.matchAll(pattern)].map((hit) => [hit.index, hit.index + hit[0].length]);
}

/** @param {readonly Block[]} blocks  of one step @param {RegExp} pattern  global @returns {number} */
export function hitCount(blocks, pattern) {
  const texts = blocks.flatMap(({ label, text, shown }) => [label, text.slice(0, shown), text.slice(shown)]); // as on the page
  let count = 0;
  for (const text of texts) for (const _ of text.matchAll(pattern)) count += 1;
  return count;
}

/**
 * Find the next or the previous hit, wrapping around at either end.
 * @param {readonly Found[]} found @param {number} current  from 0; -1 for none yet @param {1 | -1} step
 * @returns {{ current: number, index: number, within: number } | null} the hit's number, its step, and its number in the step
 */
export function nextHit(found, current, step) {
  const total = found.reduce((sum, { hits }) => sum + hits, 0);
  if (!total) return null;
  const next = current < 0 && step < 0 ? total - 1 : (current + step + total) % total;
  let before = 0;
  for (const { index, hits } of found) {
    if (next < before + hits) return { current: next, index, within: next - before };
    before += hits;
  }
  return null;
}

/** @param {readonly Found[]} found @param {number} from  index of a step @returns {number} the hit before the first hit in or after that step; -1 if that is the first of all */
export function hitBefore(found, from) {
  let before = 0;
  for (const { index, hits } of found) {
    if (index >= from) break;
    before += hits;
  }
  return before - 1;
}
