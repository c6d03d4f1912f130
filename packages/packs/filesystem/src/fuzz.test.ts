import { fuzzPack } from "@toolpacks/testkit";
import { expect, test } from "vitest";
import { filesystemExamples, filesystemUnderTest } from "./pack.fixture.ts";

/** Number of generated calls in a run. The campaign uses more. */
const runs = process.env["TOOLPACKS_CAMPAIGN"] === undefined ? 500 : 10_000;

test("every tool returns a result or an error with a known code for generated arguments", async () => {
  expect(await fuzzPack(filesystemUnderTest, { runs, seed: 20_000, examples: filesystemExamples })).toEqual([]);
}, 300_000);
