import { describe, expect, test } from "vitest";
import { queryClient } from "../query/query.fixture.ts";

const items = Array.from({ length: 2_000 }, (_, id) => ({
  id,
  state: id % 500 === 7 ? "failed" : "done",
  text: "x".repeat(90),
}));

describe("the JSON of another server, without line breaks", () => {
  test("shows each match of grep, counts them, and goes on after the last one", async () => {
    const { keep, read } = await queryClient();
    const handle = await keep(JSON.stringify({ items }));
    const all = await read({ handle, mode: "grep", pattern: '"state":"failed"' });
    expect(all.split("\n")).toHaveLength(4);
    for (const id of [7, 507, 1007, 1507]) expect(all).toContain(`"id":${id},"state":"failed"`);
    const two = await read({ handle, mode: "grep", pattern: '"state":"failed"', start: 1, count: 2 });
    expect(two).toMatch(/"id":507,[^]*"id":1007,[^]*\n\[2 matches; there are more: start 3\]$/);
    expect(two.split("\n")).toHaveLength(3);
    expect(await read({ handle, mode: "grep", pattern: '"state":"failed"', start: 4 })).toBe("[no more match]");
  });

  test.each([
    ["after a line of words", (json: string) => `Found 2000 items:\n${json}\n`],
    ["in a code block", (json: string) => `\`\`\`json\n${json}\n\`\`\``],
    ["with a byte order mark", (json: string) => `\uFEFF${json}`],
  ])("is read by JSONPath and SQL %s", async (_, wrap) => {
    const { keep, read } = await queryClient();
    const handle = await keep(wrap(JSON.stringify({ items })));
    expect(await read({ handle, pattern: "$.items[1507].state" })).toBe("failed");
    expect(await read({ handle: `${handle}#json=$.items[7].id` })).toBe("7");
    expect(await read({ handle, pattern: "SELECT count(*) AS n FROM t WHERE state = 'failed'" })).toBe(
      "n\n4\n[1 row; t: 2000 rows of $.items]",
    );
  });

  test("that JSONPath cannot read names the mode that can", async () => {
    const { keep, read } = await queryClient();
    const handle = await keep("a,b\n1,2\n");
    expect(await read({ handle, pattern: "$.a" })).toContain(
      "the value is not JSON\nUse query for CSV and JSON lines, or grep.",
    );
  });
});
