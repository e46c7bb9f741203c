// @ts-check
/** Quantiles of the beta, t and binomial distributions. */

/** Coefficients of Lanczos' approximation with g = 7, as P. Godfrey computed them: 15 digits. */
const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];
const TINY = 1e-300;
const PRECISION = 1e-16;
const MOST_STEPS = 100_000;

/** @param {number} x  above 0 @returns {number} the logarithm of the gamma function */
export function logGamma(x) {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  const [first, ...others] = LANCZOS;
  const series = others.reduce((sum, coefficient, n) => sum + coefficient / (x + n), first);
  const shifted = x + 6.5;
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(shifted) - shifted + Math.log(series);
}

/** @param {number} a @param {number} b @param {number} x  0 to 1 @returns {number} the share of a beta distribution below x */
export function betaBelow(a, b, x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return (front * continuedFraction(a, b, x)) / a;
  return 1 - (front * continuedFraction(b, a, 1 - x)) / b;
}

/** Lentz' method for the continued fraction of the incomplete beta function. @param {number} a @param {number} b @param {number} x */
function continuedFraction(a, b, x) {
  const kept = (/** @type {number} */ value) => (Math.abs(value) < TINY ? TINY : value);
  let c = 1;
  let d = 1 / kept(1 - ((a + b) * x) / (a + 1));
  let value = d;
  for (let m = 1; m < MOST_STEPS; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / kept(1 + even * d);
    c = kept(1 + even / c);
    value *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / kept(1 + odd * d);
    c = kept(1 + odd / c);
    value *= d * c;
    if (Math.abs(d * c - 1) < PRECISION) break;
  }
  return value;
}

/** @param {number} a @param {number} b @param {number} share  0 to 1 @returns {number} the quantile of a beta distribution */
export function betaQuantile(a, b, share) {
  let [low, high] = [0, 1];
  for (let step = 0; step < 1100; step += 1) {
    const middle = (low + high) / 2;
    if (middle <= low || middle >= high) break;
    if (betaBelow(a, b, middle) < share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** @param {number} degrees @param {number} share  above 0.5 @returns {number} the quantile of a t distribution */
export function tQuantile(degrees, share) {
  const x = betaQuantile(0.5, degrees / 2, 2 * share - 1); // of t² / (degrees + t²)
  return Math.sqrt((degrees * x) / (1 - x));
}

/** @param {number} count @returns {number[]} the probability that at most 0, 1, 2, … of `count` values are below their median */
export function belowMedian(count) {
  let sum = 0;
  return Array.from({ length: count }, (_, n) => {
    const ways = logGamma(count + 1) - logGamma(n + 1) - logGamma(count - n + 1);
    sum += Math.exp(ways - count * Math.LN2);
    return sum;
  });
}
