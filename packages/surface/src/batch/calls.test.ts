import type { Client } from "@modelcontextprotocol/client";
import { definePack, defineTool, reply, ToolError, type Rights } from "@toolpacks/core";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createSurface } from "../surface.ts";
import { deskPack } from "../two-tool/desk.fixture.ts";
import { wires } from "../wire.fixture.ts";

const issue = '{"number":7,"id":12345678901234567890,"labels":[{"name":"bug"}]}';

/** A tool that answers text alone, as many other servers do. */
const trackerPack = definePack({
  name: "tracker",
  description: "Issues of another server.",
  budget: 100,
  tools: () => [
    defineTool({
      name: "tracker_get",
      description: "Get an issue.",
      mutates: false,
      input: z.object({ long: z.string().max(1).optional() }),
      output: z.looseObject({}),
      handler: ({ long }) => {
        if (long === "") throw new ToolError("not_found", "long: expected a character");
        return reply([{ type: "text", text: long === undefined ? issue : long.repeat(100_000) }]);
      },
    }),
    defineTool({
      name: "tracker_list",
      description: "List issues.",
      mutates: false,
      input: z.object({ count: z.int(), length: z.int(), of: z.string().optional() }),
      output: z.looseObject({}),
      handler: ({ count, length }) => {
        const issues = Array.from({ length: count }, () => ({ title: "x".repeat(length) }));
        return reply([{ type: "text", text: JSON.stringify({ issues, totalCount: 40 }) }]);
      },
    }),
  ],
});

async function connect(rights: Rights = {}) {
  const { pack, deeds } = deskPack();
  const seen: string[] = [];
  const surface = await createSurface({
    packs: [pack, trackerPack()],
    rights,
    onBug: () => {},
    interceptors: [
      (call, next) => {
        seen.push(call.name);
        return next(call);
      },
    ],
  });
  const client = (await wires["sdk 2, protocol 2026-07-28"](surface)).client as Client;
  onTestFinished(() => client.close());
  const ask = async (name: string, args: Record<string, unknown>) => {
    const { content, isError, structuredContent } = await client.callTool({ name, arguments: args });
    const texts = content.map((block) => (block.type === "text" ? block.text : block.type));
    return { texts, isError: isError === true, structuredContent };
  };
  return { ask, deeds, seen };
}

const put = (title: unknown) => ({ name: "desk_put", args: { title } });

describe("tool_invoke with several calls", () => {
  test("runs them in order, passes on results, and answers each in its own block", async () => {
    const { ask, deeds, seen } = await connect();
    const calls = [{ id: "issue", name: "tracker_get" }, put("${steps.issue.labels[0].name}"), put("${steps.s2.id}")];
    const { texts, isError } = await ask("tool_invoke", { calls });
    expect(texts).toEqual([
      "3 succeeded",
      "[issue] tracker_get: succeeded",
      issue,
      "[s2] desk_put: succeeded",
      "paper p1",
      "[s3] desk_put: succeeded",
      "paper p2",
    ]);
    expect(isError).toBe(false);
    expect(deeds.done).toEqual(["bug", "p1"]);
    expect(seen).toEqual(["tracker_get", "desk_put", "desk_put"]);
  });

  test.each(["say ${steps.s1}", "say ${steps.s1.text}"])("keeps the digits of a number in %s", async (title) => {
    const { ask, deeds } = await connect();
    await ask("tool_invoke", { calls: [{ name: "tracker_get" }, put(title)] });
    expect(deeds.done).toEqual([`say ${issue}`]);
  });

  test.each(["${name} and $${HOME}", "`${a.steps}`", "open ${", "${input.x}", "$$${x} ${{y: 1}}"])(
    "sends %s as it is",
    async (title) => {
      const { ask, deeds } = await connect();
      await ask("tool_invoke", { calls: [put("a"), put(title)] });
      expect(deeds.done).toEqual(["a", title]);
    },
  );

  test("says which fields the result of a failed reference has, and how to go on", async () => {
    const { ask, deeds } = await connect();
    const calls = [put("a"), { name: "tracker_get" }, put("${steps.s2.nmber}"), put("b")];
    const { texts, isError } = await ask("tool_invoke", { calls });
    expect(isError).toBe(true);
    expect(texts.slice(5)).toEqual([
      "[s3] desk_put: not_run: invalid_input: ${steps.s2.nmber}: steps.s2 has no nmber, did you mean number? (there is number, id, labels)",
      "[s4] desk_put: not_run: s3 failed",
      "To go on, leave out what succeeded (s1, s2).",
    ]);
    expect(deeds.done).toEqual(["a"]);
  });

  test("with one wrong name runs the others", async () => {
    const { ask, deeds } = await connect();
    const calls = [put("a"), { name: "desk_pat" }, put("b")];
    const { texts, isError } = await ask("tool_invoke", { calls });
    expect(isError).toBe(true);
    expect(texts.find((text) => text.startsWith("[s2]"))).toMatch(/^\[s2\] desk_pat: failed: not_found: .*desk_pat/);
    expect(deeds.done).toEqual(["a", "b"]);
  });

  test("runs them in parallel", async () => {
    const { ask, deeds } = await connect();
    const wait = { name: "desk_wait", args: { ms: 50 } };
    expect((await ask("tool_invoke", { strategy: "parallel", calls: [wait, wait, wait] })).texts[0]).toBe(
      "3 succeeded",
    );
    expect(deeds.maxWaiting).toBe(3);
  });

  test("answers JSON with structured", async () => {
    const { ask } = await connect();
    const { structuredContent } = await ask("tool_invoke", { structured: true, calls: [put("a")] });
    expect(structuredContent).toEqual({
      results: [{ id: "s1", tool: "desk_put", status: "succeeded", value: { id: "p1", tags: [{ name: "A" }] } }],
    });
  });

  test("shares the room of its answer between long results, and says what was cut", async () => {
    const { ask } = await connect();
    const long = (character: string) => ({ name: "tracker_get", args: { long: character } });
    const { texts } = await ask("tool_read", { calls: [long("x"), { name: "tracker_get" }, long("y")] });
    expect(texts[2]).toMatch(/^x{29968}\n… 70,032 characters more/);
    expect(texts[4]).toBe(issue);
    expect(texts[6]).toMatch(/^y{29968}\n… 70,032 characters more/);
  });

  test("is no error when calls that change nothing failed, and the others succeeded", async () => {
    const { ask, deeds } = await connect();
    const get = { name: "tracker_get" };
    const failing = { name: "tracker_get", args: { long: "" }, continueOnFailure: true };
    const { texts, isError } = await ask("tool_invoke", { calls: [get, failing, put("a")] });
    expect(isError).toBe(false);
    expect(texts[0]).toBe("2 succeeded, 1 failed");
    expect(texts[3]).toBe("[s2] tracker_get: failed: not_found: long: expected a character");
    expect(texts.at(-1)).toBe("paper p1");
    const wrongArgs = await ask("tool_read", { calls: [get, { name: "tracker_get", args: { lang: "x" } }] });
    expect(wrongArgs.isError).toBe(false);
    expect(deeds.done).toEqual(["a"]);
  });

  test("after a failure runs the calls that change nothing, and none that changes something", async () => {
    const { ask, deeds } = await connect();
    const failing = { name: "tracker_get", args: { long: "" } };
    const { texts } = await ask("tool_invoke", { calls: [failing, put("a"), { name: "tracker_get" }, put("b")] });
    expect(texts[0]).toBe("1 succeeded, 1 failed, 2 not_run");
    expect(texts).toContain("[s2] desk_put: not_run: s1 failed");
    expect(texts).toContain("[s3] tracker_get: succeeded");
    expect(texts).toContain("[s4] desk_put: not_run: s1 failed");
    expect(deeds.done).toEqual([]);
  });

  test.each([
    ["none succeeded", [{ name: "tracker_get", args: { long: "" } }]],
    ["a call was skipped", [{ name: "tracker_get" }, { name: "tracker_get", args: { long: "" } }, put("a")]],
    ["a change failed", [{ name: "tracker_get" }, { ...put("a"), args: {} }]],
    ["a tool is unknown", [{ name: "tracker_get" }, { name: "tracker_gut" }]],
  ])("is an error when %s", async (_, calls) => {
    const { ask } = await connect();
    expect((await ask("tool_invoke", { calls })).isError).toBe(true);
  });

  test("names a tool that only a client can call", async () => {
    const { ask } = await connect();
    const calls = [{ name: "tracker_get" }, { name: "tool_describe", args: { name: "tracker_get" } }];
    expect((await ask("tool_read", { calls })).texts[3]).toBe(
      "[s2] tool_describe: failed: invalid_input: call tool_describe directly, not inside calls",
    );
    expect((await ask("tool_read", { name: "tool_search", args: { query: "a" } })).texts).toEqual([
      "invalid_input: call tool_search directly, not as the name of another call",
    ]);
  });

  test("shows one line for a long result that a later call received, unless show is true", async () => {
    const { ask } = await connect();
    const long = { name: "tracker_get", args: { long: "x" } };
    const use = { name: "tracker_list", args: { count: 1, length: 1, of: "${steps.s1.text}" } };
    const { texts } = await ask("tool_invoke", { calls: [long, use] });
    expect(texts).toEqual([
      "2 succeeded",
      "[s1] tracker_get: succeeded, 100,000 characters",
      "[s2] tracker_list: succeeded, 1 item, all that the server sent",
      '{"issues":[{"title":"x"}],"totalCount":40}',
      '"show": true on a call shows what is left out.',
    ]);
    const shown = await ask("tool_invoke", { calls: [{ ...long, show: true }, use] });
    expect(shown.texts[2]).toMatch(/^x{59958}\n… 40,042 characters more/);
    const { structuredContent } = await ask("tool_invoke", { structured: true, calls: [long, use] });
    const [first] = (structuredContent as { results: object[] }).results;
    expect(first).toEqual({ id: "s1", tool: "tracker_get", status: "succeeded", about: "100,000 characters" });
  });

  test("says how many items of a list are shown, and how many there are", async () => {
    const { ask } = await connect();
    const list = (count: number, length: number) => ({ name: "tracker_list", args: { count, length } });
    const { texts } = await ask("tool_read", { calls: [list(27, 1), list(40, 1), list(30, 3_000)] });
    expect([texts[1], texts[3], texts[5]]).toEqual([
      "[s1] tracker_list: succeeded, 27 items, all that the server sent",
      "[s2] tracker_list: succeeded",
      "[s3] tracker_list: succeeded, 19 of 40",
    ]);
    const passed = await ask("tool_invoke", { calls: [list(27, 99), put("of ${steps.s1.totalCount}")] });
    expect(passed.texts[1]).toMatch(
      /^\[s1\] tracker_list: succeeded, [\d,]+ characters, 27 of 40 items, all that the server sent$/,
    );
    const short = await ask("tool_invoke", { calls: [list(27, 1), put("of ${steps.s1.totalCount}")] });
    expect(short.texts[2]).toContain('"totalCount":40');
    const named = await ask("tool_invoke", {
      calls: [{ ...list(27, 9), fields: ["title"] }, put("of ${steps.s1.totalCount}")],
    });
    expect(named.texts[1]).toBe("[s1] tracker_list: succeeded, 27 items, all that the server sent");
  });

  test("leaves out any result with show: false", async () => {
    const { ask } = await connect();
    const title = "a".repeat(90);
    const { texts } = await ask("tool_invoke", { calls: [{ ...put(title), show: false }, put("${steps.s1.id}")] });
    expect(texts.slice(1, 3)).toEqual([
      expect.stringMatching(/^\[s1\] desk_put: succeeded, \d+ characters, 1 item$/),
      "[s2] desk_put: succeeded",
    ]);
  });

  test.each([
    [{ calls: [{ nam: "desk_put" }] }, /calls\[0\]\.nam: .*name/],
    [{ calls: [put("a")], name: "desk_put" }, /calls: expected either calls, or the name and args of one call/],
    [{}, /name: required \(or calls, for several calls\)/],
    [{ name: "desk_put", strategy: "parallel" }, /strategy: only for calls/],
    [
      { calls: [{ name: "desk_put", args: { title: 5 } }] },
      /\[s1\] desk_put: failed: .*title: .*\nCall desk_put\(title/,
    ],
    [{ calls: [{ ...put("b"), id: "1x" }] }, /\[1x\] desk_put: failed: invalid_input: id: /],
    [
      {
        calls: [
          { id: "a", name: "desk_pat" },
          { ...put("b"), id: "a" },
        ],
      },
      /id: another call is named a/,
    ],
  ])("refuses %j", async (args, problem) => {
    const { ask, deeds } = await connect();
    const { texts, isError } = await ask("tool_invoke", args);
    expect(isError).toBe(true);
    expect(texts.join("\n")).toMatch(problem);
    expect(deeds.done).toEqual([]);
  });
});

describe("tool_read with several calls", () => {
  test("refuses all when one changes something, before any runs", async () => {
    const { ask, deeds, seen } = await connect();
    const { texts } = await ask("tool_read", { calls: [{ name: "tracker_get" }, put("a")] });
    expect(texts).toEqual([
      "denied: desk_put changes things; tool_read calls only tools that change nothing\nCall it with tool_invoke.",
    ]);
    expect([...deeds.done, ...seen]).toEqual([]);
  });
});

test("a batch has the rights of its caller", async () => {
  const { ask, deeds } = await connect({ readOnly: true });
  const { texts } = await ask("tool_invoke", { calls: [{ name: "tracker_get" }, put("a")] });
  expect(texts[0]).toBe("1 succeeded, 1 failed");
  expect(texts.find((text) => text.startsWith("[s2]"))).toContain("denied");
  expect(deeds.done).toEqual([]);
});
