// @ts-check
/** What the page of a track's tasks loads, where they have labels to choose by. */

import { mountTaskFilters } from "./task-filters.js";

mountTaskFilters();
