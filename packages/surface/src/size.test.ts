import type { Pack } from "@toolpacks/core";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import { createSurface } from "./surface.ts";
import { foreignPack, sample, sharedTools, syntheticPack } from "./packs.fixture.ts";

const count = (text: string) => encode(text).length;

async function listedAs(packs: readonly Pack[]): Promise<string> {
  const listing = await (await createSurface({ packs })).listing();
  return JSON.stringify(listing.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })));
}

const github = sharedTools("github-tools.json");

describe("the discovery list", () => {
  test("has at most 9 entries and 900 tokens, of which the four tool_* take at most 420", async () => {
    const surface = await createSurface({ packs: [sample()] });
    const listing = await surface.listing();
    expect(listing.length).toBeLessThanOrEqual(9);
    expect(count(await listedAs([sample()]))).toBeLessThanOrEqual(900);
    const four = listing.filter(({ name }) => name.startsWith("tool_"));
    expect(four.map(({ name }) => name)).toEqual(["tool_search", "tool_describe", "tool_read", "tool_invoke"]);
    const metadata = four.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    expect(count(JSON.stringify(metadata))).toBeLessThanOrEqual(420);
  });

  test("has the same bytes with 10 and with 1,000 mounted tools", async () => {
    const ten = await listedAs([syntheticPack(10)]);
    expect(await listedAs([syntheticPack(1_000)])).toBe(ten);
    const entries = await (await createSurface({ packs: [syntheticPack(1_000)] })).catalog.entries();
    expect(entries).toHaveLength(1_000);
  });

  test.skipIf(github === undefined)("has the same bytes with 117 real tools of another server", async () => {
    expect(await listedAs([foreignPack("github", github ?? [])])).toBe(await listedAs([syntheticPack(10)]));
  });

  test("does not load the tools of a pack", async () => {
    const pack = sample();
    let asked = 0;
    const counted = { ...pack, tools: () => ((asked += 1), pack.tools()) };
    await (await createSurface({ packs: [counted] })).listing();
    expect(asked).toBe(0);
  });
});

test("the instructions stay under 600 tokens and 2 KB with a hundred packs, and name the first packs", async () => {
  const packs = Array.from({ length: 100 }, (_, at) => syntheticPack(1, `pack${at}`));
  const { instructions } = await createSurface({ packs });
  expect(count(instructions)).toBeLessThan(600);
  expect(Buffer.byteLength(instructions)).toBeLessThan(2048);
  expect(instructions).toContain("- pack0: Generated tools, 1 of them");
  expect(instructions).toMatch(/and \d+ more/);
  // Copilot CLI shows no more of a server that it defers.
  expect(instructions.slice(0, 157)).toMatch(/^Use this server for pack0, pack1, .*, pack\d+ and 8\d more\. /);
});
