import { expect, test } from "vitest";
import { realIssues } from "./real-issues.fixture.ts";
import { measureTokens } from "./token-table.fixture.ts";

test.skipIf(realIssues === undefined)(
  "lists of real issues take a fifth of the issues in full, and 30 tokens a line",
  async () => {
    const { rows, perLine } = await measureTokens(realIssues ?? "");
    const dear = rows.filter(({ list, full }) => list > full / 5);
    expect({ dear, perLine: perLine <= 30 }).toEqual({ dear: [], perLine: true });
  },
);
