// @ts-check
/** What pages below a board load. Boards do without, and are there sooner. */

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
