// @ts-check
/** Links to report a problem with a case: the page has the tracker's address with fields for a case. */

import { element } from "./element.js";

/** The facts about a case in a report. @typedef {{ case: string, anchor: string, shown: string }} Facts */

/** Maximum length of an address and of a case's name in it; servers and proxies refuse longer addresses. */
const MAX_ADDRESS_LENGTH = 2000;
const MAX_NAME_LENGTH = 120;

/**
 * Fill in the address of a report. The end of a long name is cut.
 * @param {string} form  an address with encoded fields `{case}`, `{anchor}` and `{shown}` @param {Facts} facts @returns {string}
 */
export function reportAddress(form, facts) {
  const letters = [...facts.case.replace(/\s+/g, " ")];
  for (let length = Math.min(letters.length, MAX_NAME_LENGTH); ; length = Math.floor(length / 2)) {
    const name = length < letters.length ? `${letters.slice(0, length).join("")}…` : letters.join("");
    const address = filled(form, { ...facts, case: name });
    if (address.length <= MAX_ADDRESS_LENGTH || length <= 1) return address;
  }
}

/** @param {string} form @param {Facts} facts */
function filled(form, facts) {
  const fields = /** @type {Readonly<Record<string, string>>} */ (facts);
  return form.replace(/%7B(case|anchor|shown)%7D/g, (_, field) => encodeURIComponent(fields[field] ?? ""));
}

/** @param {HTMLTableRowElement} row @returns {string} for how many agents the case failed, as the row shows it */
function shownIn(row) {
  const statuses = [...row.querySelectorAll("td[data-status]")].map((cell) => cell.getAttribute("data-status"));
  const failed = statuses.filter((status) => status === "failed" || status === "error").length;
  const known = failed + statuses.filter((status) => status === "passed").length;
  return known ? `failed for ${failed} of ${known} agents` : row.cells[1]?.firstChild?.textContent?.trim() ?? "";
}

/** Puts a link to report a problem beside the name of each case. Without scripts, the page's link reports its round. */
export function mountCaseReports() {
  for (const table of /** @type {NodeListOf<HTMLTableElement>} */ (document.querySelectorAll("table[data-report]"))) {
    for (const row of /** @type {NodeListOf<HTMLTableRowElement>} */ (table.querySelectorAll("tbody tr[id]"))) {
      const name = row.querySelector("th > a");
      if (!name?.textContent) continue;
      const facts = { case: name.textContent, anchor: row.id, shown: shownIn(row) };
      const title = "Report a problem";
      const link = element("a", "✎", { className: "sg-report", title, ariaLabel: `${title} with ${facts.case}` });
      link.href = reportAddress(table.dataset.report ?? "", facts);
      name.after(" ", link);
    }
  }
  const legend = document.querySelector(".sg-legend li[hidden]");
  legend?.removeAttribute("hidden");
  legend?.closest("details")?.removeAttribute("hidden");
}
