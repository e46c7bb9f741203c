// @ts-check
/** Brings a place of a transcript into sight, and holds it there until the page is at rest or its reader goes elsewhere. */

/** So many frames in which nothing moved are rest: what is out of sight is laid out, marked and unfolded only as it comes near. */
const REST = 12;

/** What readers do who go elsewhere themselves. */
const TOUCHES = ["wheel", "touchmove", "pointerdown", "keydown"];
const SCROLLING = ["ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End", " "];

let holding = new AbortController();

/**
 * Bring something into sight, and again while what is laid out around it moves it. A place that was held before is left.
 *
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
  hold(goal, block, mine);
}

/** @param {Element} goal @param {ScrollLogicalPosition} block @param {AbortController} mine  is told when the page is at rest */
function hold(goal, block, mine) {
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
