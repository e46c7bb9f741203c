// @ts-check
/** Script of pages below a board. Boards do not load it, to be faster. */

import { mountCaseReports } from "./case-reports.js";
import { mountRecompute } from "./element.js";
import { mountHeat } from "./heat.js";
import { mountOutcomes } from "./outcomes.js";
import { mountTarget } from "./target.js";

mountTarget();
mountCaseReports();
mountRecompute();
mountHeat();
mountOutcomes();
