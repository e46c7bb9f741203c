// @ts-check
/** Interactive charts in place of drawings. Loaded on demand, with the library that draws them. */

import { element } from "./element.js";

/** @typedef {Record<string, any>} Json */
/** @typedef {{ view: any, finalize: () => void }} Live */
/** @typedef {{ hold: HTMLElement, svg: Element, specification: Json, live: Live }} Shown */
/** The current value of a style token such as `var(--ink)`, the page's typeface, and the available width. @typedef {{ tone: (token: string) => string, font: string, width: number }} Look */

const LIBRARY = new URL("../vendor/vega-embed.js", import.meta.url).href;
/** Maximum width of a chart in pixels, as for a drawing. */
const WIDEST = 400;
/** Size of text in drawings, in pixels. */
const LETTERS = 12;
/** The library's name for the selection `pointed`. */
const POINTED = "pointed_store";

/** @type {Set<Shown>} */
const shown = new Set();
/** Redraws charts when the page's colour scheme changes. @type {MutationObserver | undefined} */
let scheme;

/** Replace a figure's drawings by live charts. @param {HTMLElement} figure @returns {Promise<() => void>}  puts the drawings back */
export async function enliven(figure) {
  scheme ??= new MutationObserver(async () => {
    for (const one of shown) {
      one.live.finalize();
      one.live = await drawn(one.hold, one.specification);
    }
  });
  scheme.observe(document.body, { attributeFilter: ["data-md-color-scheme"] });
  const made = await Promise.all([...figure.querySelectorAll("svg[data-drawing]")].map(show));
  return () => made.forEach(hide);
}

/** @param {Element} svg @returns {Promise<Shown>} */
async function show(svg) {
  const answer = await fetch(new URL(`../charts/${svg.getAttribute("data-drawing")}.json`, import.meta.url));
  if (!answer.ok) throw new Error(`its data could not be loaded (status ${answer.status})`);
  const specification = await answer.json();
  const hold = element("div", [], { className: "sg-live-chart", ariaLabel: svg.getAttribute("aria-label") ?? "" });
  hold.setAttribute("role", "group");
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

/** @param {HTMLElement} hold @param {Json} specification @returns {Promise<Live>} */
async function drawn(hold, specification) {
  const { vegaEmbed } = await import(LIBRARY);
  const tone = (/** @type {string} */ token) => {
    const probe = hold.appendChild(element("span"));
    probe.style.color = token;
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  };
  const look = { tone, font: getComputedStyle(hold).fontFamily, width: Math.min(hold.clientWidth, WIDEST) };
  const live = await vegaEmbed(hold, liveSpecification(specification, look), {
    mode: "vega-lite",
    renderer: "svg",
    actions: false,
    ast: true, // expressions are interpreted: the page's policy forbids evaluating text as code
    defaultStyle: false,
    tooltip: { disableDefaultStyle: true },
  });
  if (canBePointedAt(live.view)) live.view.addDataListener(POINTED, spread);
  return live;
}

/** @param {any} view @returns {boolean} */
function canBePointedAt(view) {
  return Object.hasOwn(view.getState({ data: () => true, signals: () => false }).data, POINTED);
}

/** Highlight the agent pointed at in one chart in all live charts. @param {string} _ @param {readonly any[]} chosen */
function spread(_, chosen) {
  const values = (/** @type {readonly any[]} */ some) => JSON.stringify(some.map((each) => each.values));
  for (const { live } of shown) {
    if (!canBePointedAt(live.view) || values(live.view.data(POINTED)) === values(chosen)) continue;
    live.view.data(POINTED, chosen.map((each) => ({ ...each })));
    live.view.runAsync();
  }
}

/**
 * Return a specification whose marks have tooltips, and whose agents are highlighted
 * in all charts. The given one is not changed.
 * @param {Json} specification  Vega-Lite, with the meanings of its colours in `usermeta` @param {Look} look @returns {Json}
 */
export function liveSpecification(specification, look) {
  const { tokens, agents } = specification.usermeta;
  const named = { ...specification, datasets: withAgents(specification.datasets, agents) };
  const live = JSON.parse(JSON.stringify(named), (key, value) => {
    if (key === "agent" || typeof value !== "string") return value;
    if (isAgent(value, agents)) return look.tone("var(--mark)");
    return Object.hasOwn(tokens, value) ? look.tone(tokens[value]) : value;
  });
  const [font, fontSize] = [look.font, LETTERS]; // drawings have no text size; the page's style sets it
  const axis = { labelFont: font, titleFont: font, labelFontSize: fontSize, titleFontSize: fontSize, titleFontWeight: "normal" };
  live.config = { ...live.config, text: { ...live.config.text, font, fontSize }, axis: { ...live.config.axis, ...axis } };
  live.width = look.width - live.padding.left - live.padding.right;
  for (const layer of live.layer) {
    if (layer.encoding.description) tell(layer, live.datasets[layer.data.name], look.tone("var(--b)"));
  }
  return live;
}

/** @type {(value: unknown, agents: string) => boolean} */
const isAgent = (value, agents) => typeof value === "string" && value.length === 7 && value.startsWith(agents);

/** Add its agent to every mark, while the colour still identifies it. @param {Record<string, Json[]>} datasets @param {string} agents */
function withAgents(datasets, agents) {
  const named = (/** @type {Json} */ row) => {
    const agent = [row.colour, row.stroke].find((value) => isAgent(value, agents));
    return agent ? { ...row, agent } : row;
  };
  return Object.fromEntries(Object.entries(datasets).map(([name, rows]) => [name, rows.map(named)]));
}

/** Give marks tooltips, and highlight the marks of the agent pointed at. @param {Json} layer @param {readonly Json[]} rows @param {string} colour */
function tell(layer, rows, colour) {
  const { encoding } = layer;
  encoding.tooltip = encoding.description;
  layer.params = [];
  if (!rows.some((row) => row.agent)) return;
  layer.params.push({ name: "pointed", select: { type: "point", on: "pointerover", clear: "pointerout", fields: ["agent"] } });
  const condition = { param: "pointed", empty: false, value: colour };
  for (const channel of ["color", "fill", "stroke"]) {
    if (encoding[channel]) encoding[channel] = { condition, ...encoding[channel] };
  }
}
