// @ts-check
/** The program's random numbers: the same task names give the same draws as in the program. */

const ROUND_CONSTANTS = primes(64).map((prime) => fraction(Math.cbrt(prime)));
const HASH_START = primes(8).map((prime) => fraction(Math.sqrt(prime)));

/** @param {number} count @returns {number[]} the first primes */
function primes(count) {
  /** @type {number[]} */
  const found = [];
  for (let number = 2; found.length < count; number += 1) {
    if (found.every((prime) => number % prime)) found.push(number);
  }
  return found;
}

/** @param {number} number @returns {number} the first 32 bits of its fractional part */
function fraction(number) {
  return ((number % 1) * 2 ** 32) >>> 0;
}

/** @param {number} word @param {number} bits */
const turnRight = (word, bits) => (word >>> bits) | (word << (32 - bits));

/** SHA-256, which also works if a page is not served over https. @param {Uint8Array} bytes @returns {Uint32Array} eight words */
export function sha256(bytes) {
  const length = Math.ceil((bytes.length + 9) / 64) * 64;
  const padded = new Uint8Array(length);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(length - 4, (bytes.length * 8) >>> 0);
  const hash = Uint32Array.from(HASH_START);
  const words = new Uint32Array(64);
  for (let start = 0; start < length; start += 64) {
    for (let n = 0; n < 16; n += 1) words[n] = view.getUint32(start + 4 * n);
    for (let n = 16; n < 64; n += 1) {
      const [early, late] = [words[n - 15], words[n - 2]];
      const first = turnRight(early, 7) ^ turnRight(early, 18) ^ (early >>> 3);
      const second = turnRight(late, 17) ^ turnRight(late, 19) ^ (late >>> 10);
      words[n] = words[n - 16] + first + words[n - 7] + second;
    }
    mixBlock(hash, words);
  }
  return hash;
}

/** @param {Uint32Array} hash  changed in place @param {Uint32Array} words  of a block */
function mixBlock(hash, words) {
  let [a, b, c, d, e, f, g, h] = hash;
  for (let n = 0; n < 64; n += 1) {
    const high = turnRight(e, 6) ^ turnRight(e, 11) ^ turnRight(e, 25);
    const one = (h + high + ((e & f) ^ (~e & g)) + ROUND_CONSTANTS[n] + words[n]) | 0;
    const low = turnRight(a, 2) ^ turnRight(a, 13) ^ turnRight(a, 22);
    const two = (low + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  for (const [n, word] of [a, b, c, d, e, f, g, h].entries()) hash[n] += word;
}

/**
 * Expand a seed to words, as numpy's SeedSequence does.
 * @param {readonly number[]} entropy  32-bit words of the seed, lowest first @param {number} count @returns {Uint32Array}
 */
export function spreadSeed(entropy, count) {
  const pool = new Uint32Array(4);
  let constant = 0x43b0d7e5;
  const hashed = (/** @type {number} */ word) => {
    let value = word ^ constant;
    constant = Math.imul(constant, 0x931e8875);
    value = Math.imul(value, constant);
    return (value ^ (value >>> 16)) >>> 0;
  };
  const mixed = (/** @type {number} */ x, /** @type {number} */ y) => {
    const value = (Math.imul(x, 0xca01f9dd) - Math.imul(y, 0x4973f715)) | 0;
    return (value ^ (value >>> 16)) >>> 0;
  };
  for (let n = 0; n < 4; n += 1) pool[n] = hashed(entropy[n] ?? 0);
  for (let from = 0; from < 4; from += 1) {
    for (let to = 0; to < 4; to += 1) if (from !== to) pool[to] = mixed(pool[to], hashed(pool[from]));
  }
  const words = new Uint32Array(count);
  let multiplier = 0x8b51f9dd;
  for (let n = 0; n < count; n += 1) {
    let value = pool[n % 4] ^ multiplier;
    multiplier = Math.imul(multiplier, 0x58f38ded);
    value = Math.imul(value, multiplier);
    words[n] = value ^ (value >>> 16);
  }
  return words;
}

const MASK = (1n << 128n) - 1n;
const PCG_FACTOR = 0x2360ed051fc65da44385df649fccf645n;
/** The factor in 16-bit digits, lowest first, so that products of two digits and their sums fit a number. */
const FACTOR = digitsOf(PCG_FACTOR);

/** @param {bigint} number  below 2^128 */
function digitsOf(number) {
  return Array.from({ length: 8 }, (_, n) => Number((number >> BigInt(16 * n)) & 0xffffn));
}

/**
 * Draw 64-bit numbers, seeded by the names of the tasks, as numpy's PCG64 does (PCG XSL RR 128/64, M. E. O'Neill, 2014).
 * @param {readonly string[]} tasks  ids @param {number} count @param {(high: number, low: number, index: number) => void} take  called with the upper and lower half of each number
 */
export function rawDraws(tasks, count, take) {
  const [upper, lower] = sha256(new TextEncoder().encode(tasks.join("\n")));
  const words = spreadSeed(upper ? [lower, upper] : [lower], 8);
  const wide = Array.from({ length: 4 }, (_, n) => (BigInt(words[2 * n + 1]) << 32n) | BigInt(words[2 * n]));
  const increment = ((((wide[2] << 64n) | wide[3]) << 1n) | 1n) & MASK;
  const start = (wide[0] << 64n) | wide[1];
  const state = digitsOf(((increment + start) * PCG_FACTOR + increment) & MASK);
  const added = digitsOf(increment);
  const next = new Array(8);
  for (let index = 0; index < count; index += 1) {
    let carry = 0;
    for (let n = 0; n < 8; n += 1) {
      let sum = carry + added[n];
      for (let m = 0; m <= n; m += 1) sum += state[m] * FACTOR[n - m];
      next[n] = sum % 65536;
      carry = (sum - next[n]) / 65536;
    }
    for (let n = 0; n < 8; n += 1) state[n] = next[n];
    const low = (state[0] ^ state[4]) | ((state[1] ^ state[5]) << 16);
    const high = (state[2] ^ state[6]) | ((state[3] ^ state[7]) << 16);
    const turn = state[7] >>> 10;
    const [first, second] = turn < 32 ? [high, low] : [low, high];
    const bits = turn % 32;
    if (bits) take(((first >>> bits) | (second << (32 - bits))) >>> 0, ((second >>> bits) | (first << (32 - bits))) >>> 0, index);
    else take(first >>> 0, second >>> 0, index);
  }
}
