import { expect, test } from "vitest";
import { parseExactly, serialize } from "./exact-json.ts";

const json = (value: object) => Buffer.concat([...serialize(value)]).toString();

test.each(["", "x", "\ud83d"])(
  "serialize writes long strings as JSON.stringify does, with %j before their characters",
  (start) => {
    const long = `${start}${"🙂\n".repeat(700_000)}\ud83d`;
    const message = { [long]: long, list: [long, "short", { none: null, number: 1.5, long }] };
    expect(json(message) === JSON.stringify(message)).toBe(true);
  },
);

test("serialize writes numbers in the form in which parseExactly read them", () => {
  const text = `{"a":[1.0,-0,1e400,12345678901234567890,7,"1.0"],"long":"${"x".repeat(1_100_000)}"}`;
  expect(json(parseExactly(Buffer.from(text)) as object) === text).toBe(true);
});
