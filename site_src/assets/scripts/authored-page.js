// @ts-check
/** What authored pages load. Each is complete without it. */

import { mountCode } from "./code.js";
import { mountDrawer } from "./drawer.js";
import { mountTarget } from "./target.js";

mountTarget();
mountCode();
mountDrawer();
