import * as fc from "fast-check";

/** Texts that often break path handling, parsers, databases or terminals. */
const hostileText = [
  "",
  " ",
  ".",
  "..",
  "../../not-there/secret",
  "/not-there/secret",
  "/dev/zero",
  "/proc/self/environ",
  "C:\\Windows\\win.ini",
  "\\\\server\\share",
  "%2e%2e%2f",
  "a/../../b",
  "~",
  "-rf",
  "--",
  "\0",
  "a\0b",
  "\ud800",
  "\udfff\ud800",
  "\u202egnp.exe",
  "e\u0301",
  "\ufeff",
  "\u{1f600}",
  "\r\n",
  "\u001b[2J",
  "$(id)",
  ";id",
  "`id`",
  "' OR 1=1 --",
  '" NEAR/2 *',
  "(a+)+$",
  "[",
  "**/{a,b}/*",
  "!(",
  "__proto__",
  "constructor",
  "toString",
  "NaN",
  "Infinity",
  "null",
  "true",
  "0",
  "-1",
  "1e309",
  "9007199254740993",
  "[]",
  "{}",
  '{"__proto__":{"polluted":true}}',
  "relay://nothing",
] as const;

const numbers = [0, -0, 1, -1, 0.1, 2 ** 31, 2 ** 53, -(2 ** 53), 1e308, 5e-324, NaN, Infinity, -Infinity] as const;

const hugeText = "x".repeat(300_000);
const wideText = "\u{1f600}\0".repeat(40_000);

function nested(depth: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = null;
  for (let level = 0; level < depth; level += 1) value = wrap(value);
  return value;
}

/** Very large values, created once because that is slow. */
const hugeValues: readonly unknown[] = [
  hugeText,
  wideText,
  nested(2_000, (inner) => [inner]),
  nested(2_000, (inner) => ({ a: inner })),
  Array.from({ length: 20_000 }, () => ({})),
  Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`key${at}`, at])),
];

/** Values with a key that assignment would turn into a prototype, as `JSON.parse` makes them. */
const prototypes: readonly unknown[] = [
  JSON.parse('{"__proto__":{"polluted":true}}'),
  JSON.parse('{"constructor":{"prototype":{"polluted":true}}}'),
  JSON.parse('{"__proto__":null,"toString":1,"valueOf":2}'),
];

/** Generates texts: hostile, random, or one of the words, which may name existing data. */
export function junkText(words: readonly string[]): fc.Arbitrary<string> {
  const known = words.length === 0 ? [] : [{ weight: 4, arbitrary: fc.constantFrom(...words) }];
  return fc.oneof(
    ...known,
    { weight: 4, arbitrary: fc.constantFrom(...hostileText) },
    { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 24 }) },
  );
}

/** Generates JSON values, and some values that only a caller in the same process can pass. */
export function junkValue(words: readonly string[]): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 6, arbitrary: junkText(words) },
    { weight: 4, arbitrary: fc.constantFrom<unknown>(...numbers) },
    { weight: 4, arbitrary: fc.constantFrom<unknown>(null, true, false, undefined, [], {}) },
    { weight: 2, arbitrary: fc.array(junkText(words), { maxLength: 4 }) },
    { weight: 2, arbitrary: fc.constantFrom(...prototypes) },
    { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
    { weight: 1, arbitrary: fc.constantFrom(...hugeValues) },
  );
}
