import { existsSync, readFileSync } from "node:fs";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import { estimateTokens } from "./estimate-tokens.ts";

interface Listing {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: unknown;
}

const repository = new URL("../../../", import.meta.url);

function listings(path: string): readonly Listing[] {
  const file = new URL(path, repository);
  if (!existsSync(file)) return [];
  const parsed = JSON.parse(readFileSync(file, "utf8")) as Listing | readonly Listing[];
  return "name" in parsed ? [parsed] : parsed;
}

function metadata(tools: readonly Listing[]): string {
  return JSON.stringify(tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })));
}

const own = [
  "fs_read",
  "fs_list",
  "fs_stat",
  "fs_write",
  "fs_edit",
  "fs_move",
  "fs_copy",
  "fs_delete",
  "fs_mkdir",
].flatMap((name) => listings(`packages/packs/filesystem/snapshots/${name}.json`));
const foreign = listings("../shared/data/github-tools.json");

/** How far the estimate is from the real count, as a share of it. */
function error(text: string): number {
  const real = countTokens(text);
  return Math.abs(estimateTokens(text) - real) / real;
}

describe("estimateTokens", () => {
  test("differs by at most a fifth from the real count for our own tools, together and one by one", () => {
    expect(own).toHaveLength(9);
    expect(error(metadata(own))).toBeLessThan(0.2);
    for (const tool of own) expect(error(metadata([tool]))).toBeLessThan(0.2);
  });

  test.skipIf(foreign.length === 0)(
    "differs by at most a fifth for the tools of a large real server, together and one by one",
    () => {
      expect(error(metadata(foreign))).toBeLessThan(0.2);
      const far = foreign.filter((tool) => error(metadata([tool])) > 0.2);
      expect(far.map(({ name }) => name)).toEqual([]);
    },
  );

  test("takes no more time per character for a long text than for a short text", () => {
    const costOf = (times: number) => {
      const text = metadata(Array.from({ length: times }, () => own).flat());
      const runs = Array.from({ length: 5 }, () => {
        const start = performance.now();
        estimateTokens(text);
        return performance.now() - start;
      });
      return Math.min(...runs) / text.length;
    };
    costOf(5);
    // Quadratic work would take 16 times as long.
    expect(costOf(80)).toBeLessThan(4 * costOf(5));
  });
});
