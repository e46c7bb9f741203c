// @ts-check
/** Makes a live chart's specification of the one that a drawing was made from. */

/**
 * @typedef {Record<string, any>} Json
 * @typedef {{ tone: (token: string) => string, font: string, width: number }} Look  what a token of the page's style is now,
 *   the page's type, and how many pixels there are for the chart
 */

const LETTERS = 11;
/** As large as text is in drawings. */

/**
 * Give a specification whose marks say what they are when a reader points at them, whose agents light up everywhere,
 * and whose clouds can be moved and enlarged. The given one stays as it is.
 *
 * @param {Json} specification  Vega-Lite, with `usermeta` saying what its colours stand for
 * @param {Look} look
 * @returns {Json}
 */
export function liveSpecification(specification, look) {
  const { tokens, agents } = specification.usermeta;
  const named = { ...specification, datasets: withAgents(specification.datasets, agents) };
  const live = JSON.parse(JSON.stringify(named), (key, value) => {
    if (key === "agent" || typeof value !== "string") return value;
    if (isAgent(value, agents)) return look.tone("var(--pass)");
    return Object.hasOwn(tokens, value) ? look.tone(tokens[value]) : value;
  });
  live.config = withType(live.config, look.font);
  live.width = look.width - live.padding.left - live.padding.right;
  const isCloud = live.layer.some(hasTwoAxes);
  for (const layer of live.layer) {
    if (isCloud) unbind(layer);
    if (layer.encoding.description) tell(layer, live.datasets[layer.data.name], look.tone("var(--accent)"));
  }
  if (isCloud) live.layer.find(hasTwoAxes).params.push(ZOOM);
  return live;
}

const ZOOM = {
  name: "zoom",
  select: { type: "interval", zoom: "wheel![event.shiftKey]" },
  bind: "scales",
};

/** @type {(value: unknown, agents: string) => boolean} */
const isAgent = (value, agents) => typeof value === "string" && value.length === 7 && value.startsWith(agents);

/**
 * Say of every mark whose it is, while its colour still does.
 *
 * @param {Record<string, Json[]>} datasets
 * @param {string} agents
 */
function withAgents(datasets, agents) {
  const whose = (/** @type {Json} */ row) => [row.colour, row.stroke].find((value) => isAgent(value, agents));
  const named = (/** @type {Json} */ row) => (whose(row) ? { ...row, agent: whose(row) } : row);
  return Object.fromEntries(Object.entries(datasets).map(([name, rows]) => [name, rows.map(named)]));
}

/**
 * Give text a size: drawings have none, the page's style gives it to them.
 *
 * @param {Json} config
 * @param {string} font
 */
function withType(config, font) {
  const axis = { labelFont: font, titleFont: font, labelFontSize: LETTERS, titleFontSize: LETTERS, titleFontWeight: "normal" };
  return { ...config, text: { ...config.text, font, fontSize: LETTERS }, axis: { ...config.axis, ...axis } };
}

/** @param {Json} layer */
function hasTwoAxes({ mark, encoding }) {
  const { x, y, description } = encoding;
  return Boolean(mark.type === "point" && description && x?.axis && y?.axis && !x.axis.labelExpr);
}

/**
 * Let a layer's axes follow what is seen, and its marks not leave it.
 *
 * @param {Json} layer
 */
function unbind(layer) {
  layer.mark.clip = layer.mark.type !== "text";
  for (const channel of [layer.encoding.x, layer.encoding.y]) delete channel?.axis?.values;
}

/**
 * Let marks say what they are, and those of the agent that is pointed at stand out.
 *
 * @param {Json} layer
 * @param {readonly Json[]} rows
 * @param {string} colour
 */
function tell(layer, rows, colour) {
  const { encoding } = layer;
  encoding.tooltip = encoding.description;
  layer.params = [];
  if (!rows.some((row) => row.agent)) return;
  layer.params.push({ name: "pointed", select: { type: "point", on: "pointerover", clear: "pointerout", fields: ["agent"] } });
  const condition = { param: "pointed", empty: false, value: colour };
  for (const channel of ["color", "fill", "stroke"]) {
    if (encoding[channel]) encoding[channel] = { condition, ...encoding[channel] };
  }
}
