// @ts-check
/**
 * The steps of a transcript on the page: added a few at a time, so that thousands of them do not block it. Their
 * texts are not trusted: they are only added to the page as text.
 */

/** @import { Block, Reference } from "./trajectory-atif.js" */
/** @import { ShownStep } from "./trajectory-worker.js" */
import { element } from "./element.js";
import { clock, count, counted, dollars, lineCount, spentText } from "./trajectory-text.js";

/** @typedef {(reference: Reference) => readonly Node[]} Refer  returns a link to another transcript */
/** @typedef {{ name: string, anchor: string }} Named  a step's name, and its anchor for links, "" without one */

/**
 * @typedef {object} Steps
 * @property {readonly ShownStep[]} all
 * @property {(index: number) => HTMLElement | null} at  null if the step is not on the page yet
 * @property {(card: Element) => number} indexOf
 * @property {(steps: readonly ShownStep[], part: number) => Promise<void>} add  resolved when they are on the page; `part` counts the files, from 1
 * @property {(open: boolean) => Promise<void>} foldAll
 */

/** Maximum time that the page is blocked at a time, in milliseconds. */
const TURN = 12;
/** Number of steps that are laid out together: a group out of view costs as little as one step. */
const FLOCK = 50;
/** Number of frames without movement after which the page is at rest: elements out of view are laid out, marked and unfolded only as they come near. */
const REST = 12;
/** Events of readers who scroll themselves. */
const TOUCHES = ["wheel", "touchmove", "pointerdown", "keydown"];
const SCROLLING = ["ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End", " "];

/** Functions that make the texts of folds, called when a fold is first opened. @type {WeakMap<HTMLDetailsElement, () => void>} */
const unmade = new WeakMap();

let holding = new AbortController();

/** @param {HTMLElement} place @param {Refer} refer @param {(anchor: string) => void} arrive  called with each step that is added to the page @returns {Steps} */
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
    let flock = place.lastElementChild;
    if (!flock || flock.childElementCount >= FLOCK) flock = place.appendChild(element("div", [], { className: "sg-flock" }));
    flock.append(card);
    arrive(named.anchor);
  };
  const putAll = async () => {
    do {
      await inTurns(waiting.splice(0), put);
      await pause(); // always wait: work that ended before `add` recorded it would stay recorded for ever
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

/** @param {number} part  the file, from 1 @param {number} number @returns {Named} */
export function nameOf(part, number) {
  if (part === 1) return { name: `Step ${number}`, anchor: `step-${number}` };
  return { name: `Part ${part}, step ${number}`, anchor: `part-${part}-step-${number}` };
}

/** Show the steps of another agent's transcript inside this one. @param {readonly ShownStep[]} steps @param {Refer} refer @returns {HTMLElement} */
export function nestedSteps(steps, refer) {
  const place = element("div", [], { className: "sg-nested" });
  void inTurns(steps, (step) => place.append(stepElement(step, { name: `Step ${step.number}`, anchor: "" }, refer)));
  return place;
}

/**
 * Call a function for each of many items, with pauses for the page in between.
 * @template Item @param {readonly Item[]} items @param {(item: Item, index: number) => void} act @param {() => boolean} [isOver]  whether to skip the rest
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

/** Let the page handle input. @returns {Promise<void>} */
function pause() {
  return new Promise((resolve) => setTimeout(resolve));
}

/** @param {ShownStep} step @param {Named} named @param {Refer} refer @returns {HTMLElement} */
function stepElement(step, { name, anchor }, refer) {
  const { source, time, model, isCopied, spent, total } = step;
  const link = anchor ? element("a", name, { href: `#${anchor}` }) : name;
  const words = [isCopied ? "copied from earlier, not counted" : "", clock(time), model, spentText(spent), soFar(spent, total)].filter(Boolean);
  const made = element("article", [
    element("h3", [link, " ", element("span", source, { className: "sg-source" })]),
    ...(words.length ? [element("p", words.join(" · "), { className: "sg-facts", ...(time ? { title: time } : {}) })] : []),
    ...step.blocks.map((block) => blockElement(block, refer)),
  ], { className: "sg-turn", tabIndex: -1 }, { source: ["user", "agent", "system"].includes(source) ? source : "other" });
  if (isCopied) made.dataset.copied = "";
  if (anchor) made.id = anchor;
  return made;
}

/** @param {ShownStep["spent"]} spent @param {ShownStep["total"]} total @returns {string} */
function soFar(spent, total) {
  const isTold = spent.input !== null || spent.output !== null || spent.cost !== null;
  const figures = [
    total.input === null ? "" : `${count(total.input)} in`,
    total.output === null ? "" : `${count(total.output)} out`,
    total.cost === null ? "" : dollars(total.cost),
  ].filter(Boolean);
  return isTold && figures.length ? `so far ${figures.join(", ")}` : "";
}

/** @param {Block} block @param {Refer} refer @returns {HTMLElement} */
function blockElement(block, refer) {
  const { kind, label, text, shown, references } = block;
  const made = element("div", [], { className: "sg-block" }, { kind });
  if (label && (shown || !text)) made.append(element("p", label, { className: "sg-block-label" }));
  if (shown) made.append(wordsElement(text.slice(0, shown), kind));
  if (shown < text.length) made.append(foldElement(block));
  for (const reference of references) made.append(...refer(reference));
  return made;
}

/** @param {Block} block @returns {HTMLDetailsElement} */
function foldElement({ kind, label, text, shown }) {
  const rest = text.slice(shown);
  const lines = lineCount(rest);
  const size = lines > 1 || shown === 0 ? counted(lines, "line") : counted(rest.length, "character");
  const about = shown ? [`${size} more`] : [element("span", label, { className: "sg-block-label" }), `, ${size}`];
  const fold = element("details", [element("summary", about)], { className: "sg-fold" });
  unmade.set(fold, () => {
    fold.append(wordsElement(rest, kind));
    unmade.delete(fold);
  });
  fold.addEventListener("toggle", () => {
    if (fold.open) unmade.get(fold)?.();
  });
  return fold;
}

/** @param {string} text @param {Block["kind"]} kind @returns {HTMLPreElement} */
function wordsElement(text, kind) {
  return element("pre", kind === "call" ? [element("code", text)] : text, { className: "sg-words" });
}

/** Open a fold, making its text first. @param {HTMLDetailsElement} fold */
export function openFold(fold) {
  unmade.get(fold)?.();
  fold.open = true;
}

/**
 * Scroll an element into view, and keep it there while the layout around it changes, until the page is at rest or
 * the reader scrolls. An element kept in view before is released.
 * @param {Element} goal @param {ScrollLogicalPosition} block
 */
export function comeTo(goal, block) {
  holding.abort();
  const mine = (holding = new AbortController());
  for (const touch of TOUCHES) {
    const leave = (/** @type {Event} */ event) => {
      if (!(event instanceof KeyboardEvent) || SCROLLING.includes(event.key)) mine.abort();
    };
    addEventListener(touch, leave, { capture: true, passive: true, signal: mine.signal });
  }
  let [place, still] = [NaN, 0];
  const look = () => {
    if (mine.signal.aborted) return;
    const { top } = goal.getBoundingClientRect();
    goal.scrollIntoView({ block });
    const isStill = Math.abs(top - place) < 1;
    place = goal.getBoundingClientRect().top;
    still = isStill && Math.abs(top - place) < 1 ? still + 1 : 0;
    if (still < REST && goal.isConnected) requestAnimationFrame(look);
    else mine.abort();
  };
  look();
}
