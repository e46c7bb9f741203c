// @ts-check
/** Lets a reader turn the drawings of a chart into live ones; what draws them is loaded then, and not before. */

import { element } from "./element.js";

for (const figure of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("figure[data-chart]"))) {
  if (figure.querySelector("svg[data-drawing]")) offer(figure);
}

/**
 * Add the button that turns a chart's drawings into live ones, and back.
 *
 * @param {HTMLElement} figure
 */
function offer(figure) {
  const button = element("button", "Interactive", { look: "" });
  const news = element("span", "", {});
  const title = figure.querySelector("h2")?.textContent ?? "";
  /** @type {{ rest: () => void, canMove: boolean } | undefined} */
  let live;
  button.type = "button";
  button.setAttribute("aria-pressed", "false");
  button.setAttribute("aria-label", `Interactive: ${title}`);
  news.setAttribute("role", "status");
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      live?.rest();
      live = live ? undefined : await (await import("./chart-live.js")).enliven(figure);
      const ways = live?.canMove ? "; drag to move, shift and wheel to come closer." : ".";
      news.textContent = live ? `Point at a mark to see what it is${ways}` : "";
    } catch (problem) {
      news.textContent = `The chart stays a drawing: ${problem instanceof Error ? problem.message : problem}`;
    }
    button.disabled = false;
    button.setAttribute("aria-pressed", String(live !== undefined));
    button.focus();
  });
  figure.querySelector("figcaption")?.after(element("p", "", { look: "sg-live", inside: [button, " ", news].map(asNode) }));
}

/**
 * @param {Node | string} part
 * @returns {Node}
 */
function asNode(part) {
  return typeof part === "string" ? document.createTextNode(part) : part;
}
