// @ts-check
/** Lets a reader turn the drawings of a chart into live ones, and back; what draws them is loaded then, and not before. */

import { button, element } from "./element.js";

for (const figure of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("figure[data-chart]"))) {
  if (figure.querySelector("svg[data-drawing]")) offer(figure);
}

/** @param {HTMLElement} figure */
function offer(figure) {
  const news = element("span");
  /** @type {(() => void) | undefined} */
  let rest;
  const press = button("Interactive", async () => {
    press.disabled = true;
    try {
      rest?.();
      rest = rest ? undefined : await (await import("./chart-live.js")).enliven(figure);
      news.textContent = rest ? "Point at a mark to see its values." : "";
    } catch (problem) {
      news.textContent = `The chart could not be made interactive: ${problem instanceof Error ? problem.message : problem}`;
    }
    press.disabled = false;
    press.ariaPressed = String(rest !== undefined);
    press.focus();
  });
  press.ariaPressed = "false";
  press.ariaLabel = `Interactive: ${figure.querySelector("h2")?.textContent ?? ""}`;
  news.setAttribute("role", "status");
  figure.querySelector("figcaption")?.after(element("p", [press, " ", news], { className: "sg-live" }));
}
