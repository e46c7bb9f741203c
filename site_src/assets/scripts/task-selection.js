// @ts-check
/** Selections of tasks in addresses: any number of `tasks=AXIS:VALUE,VALUE` and `weight=AXIS:VALUE:NUMBER`. */

/** @typedef {{ axis: string, values: readonly string[] }} Filter  accepts tasks with one of the values */
/** @typedef {{ axis: string, value: string, weight: number }} OwnWeight  a reader's weight for the tasks with a value */
/** @typedef {{ filters: readonly Filter[], weights: readonly OwnWeight[] }} Selection */
/** @typedef {{ id: string, title: string, values: readonly { value: string, title: string, tasks: number }[] }} Axis */


/**
 * Read a filter as `sitegen score --tasks` does: AXIS:VALUE,VALUE, where a value may contain commas.
 * @param {string} text @param {readonly Axis[]} axes @returns {Filter | string} or an error message
 */
export function readFilter(text, axes) {
  const [name, ...rest] = text.split(":");
  const axis = axes.find(({ id }) => id === name.trim());
  if (!rest.length) return `“${text}” is not written as AXIS:VALUE`;
  if (!axis) return `there is no axis “${name.trim()}”`;
  const words = rest.join(":").split(",");
  const values = /** @type {string[]} */ ([]);
  for (let start = 0; start < words.length; ) {
    let end = words.length;
    const joined = () => words.slice(start, end).join(",").trim();
    while (end > start && !axis.values.some(({ value }) => value === joined())) end -= 1;
    if (end === start) return `${axis.title} has no value “${words[start].trim()}”`;
    values.push(joined());
    start = end;
  }
  return { axis: axis.id, values: [...new Set(values)] };
}

/** Read a weight, AXIS:VALUE:NUMBER. @param {string} text @param {readonly Axis[]} axes @returns {OwnWeight | string} or an error message */
export function readWeight(text, axes) {
  const parts = text.split(":");
  const number = parts.pop()?.trim() ?? "";
  const filter = readFilter(parts.join(":"), axes);
  if (typeof filter === "string") return filter;
  if (filter.values.length !== 1 || !/^\d{1,6}(\.\d{1,6})?$/.test(number)) return `“${text}” is not written as AXIS:VALUE:NUMBER`;
  return { axis: filter.axis, value: filter.values[0], weight: Number(number) };
}

/** @param {readonly string[]} tasks  filters as in addresses @param {readonly string[]} weights @param {readonly Axis[]} axes @returns {Selection & { problems: string[] }} */
export function readSelection(tasks, weights, axes) {
  const filters = tasks.map((text) => readFilter(text, axes));
  const own = weights.map((text) => readWeight(text, axes));
  return {
    filters: filters.filter((filter) => typeof filter !== "string"),
    weights: own.filter((weight) => typeof weight !== "string"),
    problems: [...filters, ...own].filter((item) => typeof item === "string"),
  };
}

/** @param {Filter} filter @returns {string} as `--tasks` takes it */
export const filterText = ({ axis, values }) => `${axis}:${values.join(",")}`;
/** @param {OwnWeight} weight */
export const weightText = ({ axis, value, weight }) => `${axis}:${value}:${weight}`;
