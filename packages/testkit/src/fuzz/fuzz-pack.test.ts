import { type Tool } from "@toolpacks/core";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { goodPack, packOf, tool, toolTaking } from "../packs.fixture.ts";
import { fuzzedArguments } from "./arguments.ts";
import { fuzzPack } from "./fuzz-pack.ts";

const seed = 7;

describe("fuzzPack", () => {
  test("finds nothing in a good pack", async () => {
    expect(await fuzzPack(() => goodPack(), { runs: 1_000, seed })).toEqual([]);
  });

  test.each<[string, Tool["run"], string]>([
    [
      "a bug, with the smallest arguments and the seed that show it",
      (input) => {
        if ((input as { item: string }).item.includes("\0")) throw new TypeError("bad character");
        return { found: true };
      },
      "internal: TypeError: bad character",
    ],
    ["a result that does not match its schema", () => ({ found: "yes" }), "internal: Error: the result does not match"],
  ])("finds %s", async (_what, run, problem) => {
    const found = await fuzzPack(() => packOf(() => [tool({ run })]), { runs: 1_000, seed });
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(problem);
    expect(found[0]).toMatch(/^box_look \{ item: .*\(seed \d+\)$/s);
  });

  test("repeats the same arguments for the same seed", async () => {
    const record = async () => {
      const seen: unknown[] = [];
      const run: Tool["run"] = (input) => {
        seen.push(input);
        return { found: true };
      };
      await fuzzPack(() => packOf(() => [tool({ run })]), { runs: 300, seed });
      return seen;
    };
    const first = await record();
    expect(first.length).toBeGreaterThan(50);
    expect(await record()).toEqual(first);
  });
});

describe("fuzzedArguments", () => {
  const input = z.object({
    path: z.string().max(100),
    limit: z.int().min(1).max(9).optional(),
    kind: z.enum(["a", "b"]).optional(),
    rows: z
      .array(z.strictObject({ old: z.string().max(9), at: z.union([z.int(), z.null()]) }))
      .max(3)
      .optional(),
  });
  const sample = fc.sample(fuzzedArguments(toolTaking(input).input.full(), [{ path: "real.txt" }]), {
    numRuns: 3_000,
    seed,
  });

  test("are often valid, and often invalid", () => {
    const admitted = sample.filter((args) => input.strict().safeParse(args).success).length;
    expect(admitted).toBeGreaterThan(600);
    expect(admitted).toBeLessThan(2_400);
  });

  test("include known hostile values", () => {
    const texts = sample.map((args) => JSON.stringify(args) ?? "undefined");
    const has = (part: string) => texts.some((text) => text.includes(part));
    expect(has('"real.txt"')).toBe(true);
    expect(has("\\ud800")).toBe(true);
    expect(has('"__proto__":')).toBe(true);
    expect(has("[[[[[[[[")).toBe(true);
    expect(sample.some((args) => typeof args === "string")).toBe(true);
    expect(sample.some((args) => Number.isNaN((args as { limit?: unknown } | undefined | null)?.limit))).toBe(true);
    expect(texts.some((text) => text.length > 200_000)).toBe(true);
  });
});
