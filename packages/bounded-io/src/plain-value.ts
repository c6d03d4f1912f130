/** The error for a value from a file that cannot be used. The message names the place in the value. */
export class PlainValueError extends Error {}

const maxDepth = 100;
const maxValues = 100_000;

/**
 * Checks that a parsed value has only plain objects, arrays, scalars and dates, no key `__proto__`, at most 100 levels and 100,000 values.
 * Inherited fields would be used without being shown.
 *
 * @throws PlainValueError that names the place
 */
export function checkPlainValue(value: unknown): void {
  let count = 0;
  const check = (one: unknown, place: readonly string[]): void => {
    count += 1;
    // An alias in YAML is the same object again, so the count also bounds what aliases expand to.
    if (count > maxValues) throw new PlainValueError(`more than ${maxValues} values`);
    if (one === null || typeof one !== "object" || one instanceof Date) return;
    if (place.length >= maxDepth) throw new PlainValueError(`${placeName(place)}: more than ${maxDepth} levels`);
    if (!isPlain(one)) throw new PlainValueError(`${placeName(place)}: expected plain keys with values`);
    for (const [key, inner] of Object.entries(one)) {
      if (key === "__proto__") throw new PlainValueError(`${placeName([...place, key])}: this key is not allowed`);
      check(inner, [...place, key]);
    }
  };
  check(value, []);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) ? prototype === Array.prototype : prototype === Object.prototype || prototype === null;
}

const maxPlaceParts = 6;

function placeName(place: readonly string[]): string {
  const shown = place.length > maxPlaceParts ? [...place.slice(0, maxPlaceParts), "…"] : place;
  return shown.length === 0 ? "the file" : shown.join(".");
}
