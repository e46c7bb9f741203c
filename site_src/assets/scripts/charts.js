// @ts-check
/** Buttons of a chart: save it as a picture, and make its drawings interactive; the code for both is loaded on demand. */

import { button, element } from "./element.js";

for (const figure of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("figure.sg-chart, [data-scatter]"))) offer(figure);

/** @param {HTMLElement} figure */
function offer(figure) {
  const news = element("span");
  news.setAttribute("role", "status");
  const live = figure.querySelector("svg[data-drawing]") ? [liveButton(figure, news), " "] : [];
  const pictures = [pictureLink(figure, "svg", news), " ", pictureLink(figure, "png", news)];
  const line = element("p", [...live, news, " Save as ", ...pictures], { className: "sg-live sg-save" });
  const numbers = figure.querySelector(":scope > details");
  if (numbers) numbers.before(line);
  else figure.append(line);
}

/** @param {HTMLElement} figure @returns {string} */
function titleOf(figure) {
  return (figure.querySelector("h2") ?? figure.closest("section")?.querySelector("h2"))?.textContent?.trim() ?? "";
}

/** @param {HTMLElement} figure @param {HTMLElement} news @returns {HTMLButtonElement} */
function liveButton(figure, news) {
  /** @type {(() => void) | undefined} */
  let rest;
  const press = button("Interactive", async () => {
    press.disabled = true;
    try {
      rest?.();
      rest = rest ? undefined : await (await import("./chart-live.js")).enliven(figure);
      news.textContent = rest ? "Point at a mark to see its values." : "";
    } catch (problem) {
      news.textContent = `The chart could not be made interactive: ${messageOf(problem)}`;
    }
    press.disabled = false;
    press.ariaPressed = String(rest !== undefined);
    press.focus();
  });
  press.ariaPressed = "false";
  press.ariaLabel = `Interactive: ${titleOf(figure)}`;
  return press;
}

/** @param {HTMLElement} figure @param {"svg" | "png"} kind @param {HTMLElement} news @returns {HTMLAnchorElement} */
function pictureLink(figure, kind, news) {
  const place = location.pathname.split("/").filter((part) => part && part !== "index.html").slice(-3);
  const name = `${[...place, figure.dataset.chart ?? (figure.id || "chart")].join("-")}.${kind}`;
  const link = element("a", kind.toUpperCase(), { href: figure.id ? `#${figure.id}` : "#", download: name });
  link.ariaLabel = `${kind.toUpperCase()} of the chart: ${titleOf(figure)}`;
  link.addEventListener("click", async (event) => {
    event.preventDefault();
    try {
      await (await import("./chart-picture.js")).savePicture(figure, kind, name);
      news.textContent = `Saved ${name}.`;
    } catch (problem) {
      news.textContent = `The picture could not be made: ${messageOf(problem)}`;
    }
  });
  return link;
}

/** @param {unknown} problem @returns {string} */
function messageOf(problem) {
  return problem instanceof Error ? problem.message : String(problem);
}
