import { fuzzPack } from "@toolpacks/testkit";
import { expect, test } from "vitest";
import { filesystemExamples, filesystemUnderTest } from "./pack.fixture.ts";

test("every tool answers 10,000 generated argument objects with a result or an error of a known code", async () => {
  expect(await fuzzPack(filesystemUnderTest, { runs: 10_000, seed: 20_000, examples: filesystemExamples })).toEqual([]);
}, 300_000);
