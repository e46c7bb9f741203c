// @ts-check
/** What every page loads. Each is complete without it. */

import { mountHeat } from "./heat.js";
import { openTarget } from "./target.js";

openTarget();
addEventListener("hashchange", openTarget);
mountHeat();
