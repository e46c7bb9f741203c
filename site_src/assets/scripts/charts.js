// @ts-check
/** Lets a reader turn the drawings of a chart into live ones, and back; what draws them is loaded then, and not before. */

import { button, element } from "./element.js";

for (const figure of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("figure[data-chart]"))) {
  if (figure.querySelector("svg[data-drawing]")) offer(figure);
}

/** @param {HTMLElement} figure */
function offer(figure) {
  const news = element("span");
  /** @type {{ rest: () => void, canMove: boolean } | undefined} */
  let live;
  const press = button("Interactive", async () => {
    press.disabled = true;
    try {
      live?.rest();
      live = live ? undefined : await (await import("./chart-live.js")).enliven(figure);
      const ways = live?.canMove ? "; drag to move, shift and wheel to come closer." : ".";
      news.textContent = live ? `Point at a mark to see what it is${ways}` : "";
    } catch (problem) {
      news.textContent = `The chart stays a drawing: ${problem instanceof Error ? problem.message : problem}`;
    }
    press.disabled = false;
    press.ariaPressed = String(live !== undefined);
    press.focus();
  });
  press.ariaPressed = "false";
  press.ariaLabel = `Interactive: ${figure.querySelector("h2")?.textContent ?? ""}`;
  news.setAttribute("role", "status");
  figure.querySelector("figcaption")?.after(element("p", [press, " ", news], { className: "sg-live" }));
}
