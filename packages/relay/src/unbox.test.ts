import { handleIn, holdsHandle, ToolError } from "@toolpacks/core";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRelay } from "./create-relay.ts";
import { memoryValues } from "./values/memory-values.ts";

const values = memoryValues();
const relay = createRelay({ values });
const { id } = await values.put({ data: "kept\ntext", mimeType: "text/plain", text: true });

/** Texts that come near to being handles. */
const nearly = fc
  .tuple(
    fc.constantFrom("", "${", " ", '{"type":"resource_link","uri":"', "{"),
    fc.constantFrom("relay://", "internal://", "relay:/", "RELAY://", ""),
    fc.constantFrom(id, id.slice(1), `${id}a`, "", "..", "a/b"),
    fc.constantFrom(
      "",
      "#",
      "#lines=1-1",
      "#lines=",
      "#json=$",
      "#json=$[",
      "#bytes=9999999999999999999-",
      " ",
      "\n",
      "?x",
    ),
    fc.constantFrom("", "}", '"}', "}}", " and more"),
  )
  .map((parts) => parts.join(""));

const args = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    nearly,
    fc.string({ unit: "binary" }),
    fc.constantFrom<unknown>(null, true, 0),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.oneof(fc.constantFrom("type", "uri", "__proto__", "constructor"), nearly), tie("value"), {
      maxKeys: 3,
    }),
  ),
})).value;

describe("unbox of any value", () => {
  test("changes nothing without a handle, fails with a code for an unknown handle, and does not modify its argument", async () => {
    await fc.assert(
      fc.asyncProperty(args, async (given) => {
        const before = JSON.stringify(given);
        const [outcome] = await Promise.allSettled([relay.unbox({ given })]);
        expect(JSON.stringify(given)).toBe(before);
        if (outcome.status === "rejected") {
          expect(ToolError.is(outcome.reason)).toBe(true);
          expect(holdsHandle(given)).toBe(true);
        } else if (holdsHandle(given)) expect(holdsHandle(outcome.value)).toBe(false);
        else expect(outcome.value.given).toBe(given);
      }),
      { numRuns: 3_000, seed: 1 },
    );
  });

  test("resolves handles 400 lists deep, and refuses deeper values", async () => {
    const nested = (depth: number) =>
      Array.from({ length: depth }).reduce((inner) => [inner], `relay://${id}` as unknown);
    expect(JSON.stringify(await relay.unbox({ given: nested(400) }))).toContain(JSON.stringify("kept\ntext"));
    const refusal = { code: "invalid_input", message: "given: nested more than 500 deep" };
    for (const depth of [501, 100_000]) {
      await expect(relay.unbox({ given: nested(depth) })).rejects.toMatchObject(refusal);
    }
  });

  test("does not treat a long text as a handle", () => {
    const long = [
      `relay://${"a".repeat(5_000_000)}`,
      `\${relay://${"a".repeat(5_000_000)}`,
      `{"resource_link"${"{".repeat(5_000_000)}`,
    ];
    for (const text of long) expect(handleIn(text)).toBeUndefined();
  });
});

test("many ranges of a large value in one call have a common limit, and do not block the event loop", async () => {
  const large = await values.put({ data: `ä${"x".repeat(8_000_000)}`, mimeType: "text/plain", text: true });
  const parts = (count: number) =>
    Array.from({ length: count }, (_, at) => `relay://${large.id}#chars=${8_000_000 - at}-${8_000_000 - at}`);
  expect(await relay.unbox({ parts: parts(5) })).toEqual({ parts: ["x", "x", "x", "x", "x"] });
  let turns = 0;
  const counting = setInterval(() => (turns += 1), 1);
  const answer = relay.unbox({ parts: parts(200) });
  await expect(answer).rejects.toMatchObject({
    code: "too_large",
    message: "parts.33: to find the ranges of handles, at most 268435456 bytes are read in one call",
  });
  clearInterval(counting);
  expect(turns).toBeGreaterThan(10);
});
