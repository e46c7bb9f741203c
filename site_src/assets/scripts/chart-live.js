// @ts-check
/** Live charts in the place of drawings. Loaded, with the library that draws them, when a reader asks for one. */

import { liveSpecification } from "./chart-spec.js";
import { element } from "./element.js";

/**
 * @typedef {{ view: any, finalize: () => void }} Live
 * @typedef {{ hold: HTMLElement, svg: Element, specification: Record<string, any>, live: Live }} Shown
 */

const LIBRARY = new URL("../vendor/vega-embed.js", import.meta.url).href;
const WIDEST = 400;
/** Pixels that a chart takes at most, as a drawing does. */
const POINTED = "pointed_store";
/** The library's name for what is chosen by `pointed`. */

/** @type {Set<Shown>} */
const shown = new Set();

/**
 * Put live charts in the place of a figure's drawings.
 *
 * @param {HTMLElement} figure
 * @returns {Promise<{ rest: () => void, canMove: boolean }>}  puts the drawings back; whether one can be moved
 */
export async function enliven(figure) {
  const drawings = [...figure.querySelectorAll("svg[data-drawing]")];
  const made = await Promise.all(drawings.map(show));
  return { rest: () => made.forEach(hide), canMove: made.some(({ live }) => knows(live.view, "zoom_tuple")) };
}

/** @param {Element} svg */
async function show(svg) {
  const specification = await specificationOf(svg);
  const hold = element("div", "", { look: "sg-live-chart" });
  hold.setAttribute("role", "group");
  hold.setAttribute("aria-label", svg.getAttribute("aria-label") ?? "");
  svg.after(hold);
  svg.setAttribute("hidden", "");
  try {
    const one = { hold, svg, specification, live: await drawn(hold, specification) };
    shown.add(one);
    return one;
  } catch (problem) {
    hide({ hold, svg });
    throw problem;
  }
}

/** @param {Pick<Shown, "hold" | "svg"> & Partial<Shown>} one */
function hide(one) {
  shown.delete(/** @type {Shown} */ (one));
  one.live?.finalize();
  one.hold.remove();
  one.svg.removeAttribute("hidden");
}

/** @param {Element} svg */
async function specificationOf(svg) {
  const address = new URL(`../charts/${svg.getAttribute("data-drawing")}.json`, import.meta.url);
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`what it is drawn from could not be had (${answer.status})`);
  return answer.json();
}

/**
 * @param {HTMLElement} hold
 * @param {Record<string, any>} specification
 * @returns {Promise<Live>}
 */
async function drawn(hold, specification) {
  const { vegaEmbed } = await import(LIBRARY);
  const style = getComputedStyle(hold);
  const tone = (/** @type {string} */ token) => resolved(hold, token);
  const look = { tone, font: style.fontFamily, width: Math.min(hold.clientWidth, WIDEST) };
  const live = await vegaEmbed(hold, liveSpecification(specification, look), {
    mode: "vega-lite",
    renderer: "svg",
    actions: false,
    ast: true, // expressions are interpreted: the page's policy allows no code that is made of text
    defaultStyle: false,
    tooltip: { disableDefaultStyle: true },
  });
  if (hasPointer(live.view)) live.view.addDataListener(POINTED, spread);
  return live;
}

/**
 * @param {any} view
 * @param {string} signal
 */
function knows(view, signal) {
  return Object.hasOwn(view.getState({ data: () => false, signals: () => true }).signals, signal);
}

/** @param {any} view */
function hasPointer(view) {
  return Object.hasOwn(view.getState({ data: () => true, signals: () => false }).data, POINTED);
}

/**
 * Show in every live chart which agent is pointed at in one.
 *
 * @param {string} _
 * @param {readonly any[]} chosen
 */
function spread(_, chosen) {
  for (const { live } of shown) {
    if (!hasPointer(live.view)) continue;
    if (JSON.stringify(live.view.data(POINTED).map(values)) === JSON.stringify(chosen.map(values))) continue;
    live.view.data(POINTED, chosen.map((each) => ({ ...each })));
    live.view.runAsync();
  }
}

/** @param {any} each */
const values = (each) => each.values;

/**
 * Say what a token of the page's style is now.
 *
 * @param {HTMLElement} place
 * @param {string} token  such as `var(--ink)`
 */
function resolved(place, token) {
  const probe = element("span", "");
  probe.style.color = token;
  place.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** Draw anew in the colours of the other scheme, when the page takes it. */
new MutationObserver(async () => {
  for (const one of shown) {
    one.live.finalize();
    one.live = await drawn(one.hold, one.specification);
  }
}).observe(document.body, { attributeFilter: ["data-md-color-scheme"] });
