// @ts-check
/** The steps of a transcript on the page: put there a few at a time, so that thousands of them do not hold it up. */

import { element } from "./element.js";
import { openFold, stepElement } from "./trajectory-step.js";

/** @typedef {import("./trajectory-worker.js").ShownStep} ShownStep */

/**
 * @typedef {object} Steps
 * @property {readonly ShownStep[]} all
 * @property {(index: number) => HTMLElement | null} at  null where the step does not stand on the page yet
 * @property {(card: Element) => number} indexOf
 * @property {(steps: readonly ShownStep[], part: number) => Promise<void>} add  done when they stand there; `part` counts the files, from 1
 * @property {(open: boolean) => Promise<void>} foldAll
 */

/** How long the page may be held up at a time. In milliseconds. */
const TURN = 12;
/** Steps that are laid out together: what is out of sight costs as little as one of them. */
const FLOCK = 50;

/**
 * @param {HTMLElement} place
 * @param {import("./trajectory-step.js").Refer} refer
 * @param {(anchor: string) => void} arrive  is told of each step that stands on the page
 * @returns {Steps}
 */
export function mountSteps(place, refer, arrive) {
  /** @type {ShownStep[]} */
  const all = [];
  /** @type {HTMLElement[]} */
  const made = [];
  /** @type {WeakMap<Element, number>} */
  const places = new WeakMap();
  /** @type {[ShownStep, number][]} */
  const waiting = [];
  /** @type {Promise<void> | null} */
  let putting = null;
  /** @param {[ShownStep, number]} step */
  const put = ([step, part]) => {
    const named = nameOf(part, step.number);
    const card = stepElement(step, named, refer);
    places.set(card, made.push(card) - 1);
    flock(place).append(card);
    arrive(named.anchor);
  };
  const putAll = async () => {
    do {
      await inTurns(waiting.splice(0), put);
      await pause(); // where nothing waits, too: what ends before `add` notes that it goes on is noted for ever
    } while (waiting.length);
    putting = null;
  };
  return {
    all,
    at: (index) => made[index] ?? null,
    indexOf: (card) => places.get(card) ?? -1,
    add(steps, part) {
      all.push(...steps);
      for (const step of steps) waiting.push([step, part]);
      putting ??= putAll();
      return putting;
    },
    foldAll: (open) => inTurns([...place.querySelectorAll("details")], (fold) => (open ? openFold(fold) : fold.removeAttribute("open"))),
  };
}

/** @param {HTMLElement} place @returns {Element} what the next step goes into */
function flock(place) {
  const last = place.lastElementChild;
  if (last && last.childElementCount < FLOCK) return last;
  const made = element("div", "", { look: "sg-flock" });
  place.append(made);
  return made;
}

/** @param {number} part  the file, from 1 @param {number} number @returns {import("./trajectory-step.js").Named} */
export function nameOf(part, number) {
  if (part === 1) return { name: `Step ${number}`, anchor: `step-${number}` };
  return { name: `Part ${part}, step ${number}`, anchor: `part-${part}-step-${number}` };
}

/**
 * Do something for each of many things, and let the page breathe in between.
 *
 * @template Item
 * @param {readonly Item[]} items @param {(item: Item, index: number) => void} act @param {() => boolean} [isOver]  whether to leave the rest
 */
export async function inTurns(items, act, isOver = () => false) {
  let began = performance.now();
  for (const [index, item] of items.entries()) {
    if (performance.now() - began > TURN) {
      await pause();
      if (isOver()) return;
      began = performance.now();
    }
    act(item, index);
  }
}

/** Let the page answer its reader. @returns {Promise<void>} */
function pause() {
  return new Promise((resolve) => setTimeout(resolve));
}

/** Show the steps of another agent's transcript inside this one. @param {readonly ShownStep[]} steps @param {import("./trajectory-step.js").Refer} refer @returns {HTMLElement} */
export function nestedSteps(steps, refer) {
  const place = element("div", "", { look: "sg-nested" });
  void inTurns(steps, (step) => place.append(stepElement(step, { name: `Step ${step.number}`, anchor: "" }, refer)));
  return place;
}
