import { expect, test } from "vitest";
import { fixtures } from "./fixtures.ts";
import { measure } from "./measure.ts";
import { files, largeResult } from "./ten-results.ts";

test.each(files)("five questions about a generated %s are answered by what is shown and one read", async (file) => {
  const result = largeResult(file, fixtures[file] ?? "");
  expect(result.questions).toHaveLength(5);
  const { open, shownTokens, tokens } = await measure(result);
  expect(open).toEqual([]);
  expect(shownTokens).toBeLessThan(Math.min(tokens / 10, 400));
});

test("there are ten results", () => {
  expect(files).toHaveLength(10);
});
