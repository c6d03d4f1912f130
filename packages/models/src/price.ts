import type { Tokens } from "./models.ts";

const billion = 1_000_000_000;

/**
 * The price of tokens in billionths, rounded up, so that sums are exact integers. Undefined for an unknown price.
 *
 * @param price price of a million tokens
 */
export function priceOf({ input, output }: Tokens, price: Tokens | undefined): number | undefined {
  if (price === undefined) return undefined;
  // The price of a million tokens in thousandths is the price of a token in billionths.
  return Math.ceil(roundOff(input * price.input * 1_000) + roundOff(output * price.output * 1_000));
}

/** Removes the error of binary fractions, which would round 15.000000000000002 up to 16. */
function roundOff(value: number): number {
  return Number(value.toPrecision(12));
}

/** Converts billionths to the unit of the price. */
export function toMoney(billionths: number): number {
  return billionths / billion;
}

/** Converts a limit of money to billionths. */
export function toBillionths(money: number): number {
  return Math.round(money * billion);
}
