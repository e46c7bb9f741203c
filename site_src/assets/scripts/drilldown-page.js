// @ts-check
/** What pages below a board load. Boards do without, and are there sooner. */

import { mountHeat } from "./heat.js";
import { mountOutcomes } from "./outcomes.js";
import { mountTarget } from "./target.js";

mountTarget();
mountHeat();
mountOutcomes();
