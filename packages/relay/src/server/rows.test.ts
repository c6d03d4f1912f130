import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { defineForeignTool, definePack, reply } from "@toolpacks/core";
import { sqlite } from "@toolpacks/store-sqlite";
import type { SurfaceOptions } from "@toolpacks/surface";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ServerRelayOptions } from "./server-relay.ts";
import { ask, connect, documents, handleIn, relayedSurface, textOf } from "./server.fixture.ts";

const body = (at: number) => `Steps of ${at}: ${"open the page and wait; ".repeat(9)}`;
const issues = Array.from({ length: 30 }, (_, at) => ({
  number: 100 + at,
  title: `Report ${at}`,
  user: { login: `dev-${at % 3}`, avatar: "https://example.com/a.png" },
  body: body(at),
}));
const names = { type: "array", items: { type: "string" } };

/** Tools as those of another server: JSON in a text, and an argument `fields` that the server ignores. */
function tracker(value: unknown, structured?: Readonly<Record<string, unknown>>) {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const tool = (name: string, more: { mutates: boolean; fields?: object }) =>
    defineForeignTool({
      name,
      description: "List issues.",
      mutates: more.mutates,
      inputSchema: { type: "object", properties: { ...(more.fields && { fields: more.fields }) } },
      handler: () => reply([{ type: "text", text }], structured),
    });
  return definePack({
    name: "tracker",
    description: "Issues of another server.",
    budget: 500,
    tools: () => [
      tool("tracker_list", { mutates: false, fields: names }),
      tool("tracker_plain", { mutates: false }),
      tool("tracker_number", { mutates: false, fields: { type: "integer" } }),
      tool("tracker_change", { mutates: true, fields: names }),
    ],
  })();
}

async function connected(
  value: unknown,
  options: ServerRelayOptions & { structured?: Readonly<Record<string, unknown>> } = {},
  more: Partial<SurfaceOptions> = {},
) {
  const given: unknown[] = [];
  const { structured, ...relay } = options;
  return {
    client: await connect(await relayedSurface([documents(given), tracker(value, structured)], relay, more)),
    given,
  };
}

const whole = { issues, totalCount: 30 };
const list = (value: unknown, options: Parameters<typeof connected>[1] = {}, call: object = {}) =>
  connected(value, options).then(async ({ client }) => {
    const result = await ask(client, "tool_read", { name: "tracker_plain", ...call });
    const [json = "", note = ""] = textOf(result).split("\n");
    return { client, result, json, note };
  });

describe("the rows of a result of another server", () => {
  test("have short texts above 800 tokens, and the last line names the whole result", async () => {
    const { client, json, note, result } = await list(whole);
    expect(encode(JSON.stringify(whole)).length).toBeLessThan(4_000);
    expect(encode(textOf(result)).length).toBeLessThan(0.85 * encode(JSON.stringify(whole)).length);
    const shown = JSON.parse(json) as typeof whole;
    expect(shown.totalCount).toBe(30);
    const cut = `${body(3).slice(0, 120)}… ${body(3).length - 120} characters more`;
    expect(shown.issues[3]).toEqual({ ...issues[3], body: cut });
    expect(note).toMatch(/^Long texts of the rows are cut\. The whole result is relay:\/\/[a-z2-7]{20} \(relay_read\)/);
    const pick = { handle: handleIn(result), pattern: "$.issues[3].body" };
    expect(textOf(await ask(client, "relay_read", pick))).toBe(body(3));
    const query = { handle: handleIn(result), pattern: "SELECT max(number) AS last FROM t" };
    expect(textOf(await ask(client, "relay_read", query))).toContain("129");
  });

  test("say a text once that many rows have", async () => {
    const same = issues.map((issue) => ({ ...issue, body: body(0) }));
    const { json } = await list(same);
    const shown = JSON.parse(json) as typeof issues;
    expect(shown[0]?.body).toMatch(/… \d+ characters more$/);
    expect(shown[29]?.body).toBe(`${body(0).slice(0, 20)}… same as $[0].body`);
  });

  test("keep their numbers as the server wrote them", async () => {
    const text = JSON.stringify(issues).replaceAll(/"number":1(\d\d)/g, '"number":123456789012345678$1,"share":1.0');
    expect((await list(text)).json).toContain('"number":12345678901234567829,"share":1.0');
  });

  test.each([
    ["below 800 tokens", issues.slice(0, 6)],
    ["of fewer than five", issues.slice(0, 4).map((issue) => ({ ...issue, body: issue.body.repeat(5) }))],
    ["of an object", { ...issues[0], body: body(0).repeat(20) }],
    ["of texts", issues.map((issue) => issue.body)],
    ["with short texts", Array.from({ length: 150 }, (_, at) => ({ number: at, title: `Report ${at}` }))],
    ["that are no JSON", `[${JSON.stringify(issues)}`],
    ["nested a thousand levels deep", `${"[".repeat(1_000)}${JSON.stringify(issues)}${"]".repeat(1_000)}`],
  ])("%s are passed on unchanged", async (_, value) => {
    const { result } = await list(value);
    expect(textOf(result)).toBe(typeof value === "string" ? value : JSON.stringify(value));
  });

  test("are passed on unchanged by a tool that has no threshold, and with a structured result that tools list", async () => {
    const off = await list(whole, { toolThresholdTokens: { tracker_plain: false } });
    expect(textOf(off.result)).toBe(JSON.stringify(whole));
    const { result } = await list(whole, { keepsStructured: true, structured: whole });
    expect(textOf(result)).toBe(JSON.stringify(whole));
  });

  test("are short in structured content, too, if a model asks for it", async () => {
    const { result } = await list(whole, { structured: whole }, { structured: true });
    const { issues: shown } = result.structuredContent as typeof whole;
    expect(shown[3]?.body).toMatch(/… \d+ characters more$/);
    expect(handleIn(result.content.at(-1))).not.toBe("none");
  });

  test("become a shape above the threshold of large results", async () => {
    const { result } = await list(Array.from({ length: 9 }, () => issues).flat());
    expect(textOf(result)).toMatch(/^relay:\/\/\w+ stands for application\/json.*\nJSON: /);
  });

  test("are whole for references of later calls", async () => {
    const { client, given } = await connected(whole);
    const content = "${steps.s1.issues[3].body}";
    const calls = [{ name: "tracker_plain" }, { name: "doc_write", args: { content } }];
    const result = await ask(client, "tool_invoke", { calls });
    expect(given).toEqual([{ content: body(3) }]);
    expect(textOf(result)).not.toContain(body(3));
  });

  test("are counted where the server names a total", async () => {
    const paged = { issues, totalCount: 812 };
    expect((await list(paged)).note).toMatch(
      /^Long texts of the rows are cut \(30 of 812 items, all that the server sent\)\. The whole/,
    );
    const many = { items: Array.from({ length: 9 }, () => issues).flat(), total_count: 812 };
    expect(textOf((await list(many)).result)).toMatch(
      /\nJSON, 270 of 812 items, all that the server sent: \{items\[270\]/,
    );
  });

  test("are in a batch one line with the handle, if a later call received them", async () => {
    const { client } = await connected({ issues, totalCount: 812 });
    const calls = [{ name: "tracker_plain" }, { name: "doc_write", args: { content: "${steps.s1.issues[3].title}" } }];
    const result = await ask(client, "tool_invoke", { calls });
    const [, line = ""] = textOf(result).split("\n");
    expect(line).toMatch(
      /^\[s1\] tracker_plain: succeeded, [\d,]+ characters, relay:\/\/\w+, 30 of 812 items, all that the server sent$/,
    );
    const pick = { handle: handleIn(line), pattern: "$.issues[3].title" };
    expect(textOf(await ask(client, "relay_read", pick))).toBe("Report 3");
  });
});

describe("the fields that a call names", () => {
  const fields = ["number", "title"];
  const args = { fields };

  test("are the only ones of each row, also if the server ignores them", async () => {
    const { json, note, client, result } = await list(whole, {}, { name: "tracker_list", args });
    expect(JSON.parse(json)).toEqual({
      issues: issues.map(({ number, title }) => ({ number, title })),
      totalCount: 30,
    });
    expect(note).toMatch(/^The rows have only the named fields\. The whole result is relay:/);
    const pick = { handle: handleIn(result), pattern: "$.issues[3].body" };
    expect(textOf(await ask(client, "relay_read", pick))).toBe(body(3));
  });

  test("are named if no row has them", async () => {
    const { result } = await list(whole, {}, { name: "tracker_list", args: { fields: ["number", "merged"] } });
    expect(JSON.stringify(result)).toContain("fields: no row has merged; a row has number, ");
  });

  test("make a large result short", async () => {
    const many = Array.from({ length: 9 }, () => issues).flat();
    const { json } = await list(many, {}, { name: "tracker_list", args: { fields: ["number"] } });
    expect(JSON.parse(json)).toEqual(many.map(({ number }) => ({ number })));
    const { result } = await list(many, {}, { name: "tracker_list", args: { fields: ["number", "body"] } });
    expect(textOf(result)).toMatch(/^relay:\/\/\w+ stands for application\/json, \d+ bytes/);
    const { client } = await list(many);
    const pick = { handle: handleIn(result), pattern: "$[3].title" };
    expect(textOf(await ask(client, "relay_read", pick))).toContain("unknown");
  });

  test("are found one level inside, and are not cut", async () => {
    const wrapped = issues.map((issue) => ({ node: issue }));
    const inside = await list(wrapped, {}, { name: "tracker_list", args });
    expect(JSON.parse(inside.json)).toEqual(issues.map(({ number, title }) => ({ node: { number, title } })));
    for (const login of ["login", "user.login"]) {
      const named = await list(issues, {}, { name: "tracker_list", args: { fields: ["body", login] } });
      expect(JSON.parse(named.json)).toEqual(
        issues.map(({ body: text, user }) => ({ user: { login: user.login }, body: text })),
      );
    }
  });

  test("are not selected by a tool that changes things, or whose schema has no list of names", async () => {
    for (const name of ["tracker_change", "tracker_plain", "tracker_number"]) {
      const { client } = await connected(issues.slice(0, 4));
      const result = await ask(client, "tool_invoke", { name, args: name === "tracker_number" ? {} : args });
      expect(textOf(result)).not.toContain("named fields");
    }
  });

  test("leave rows that have no other fields, or none of them, as they are", async () => {
    const only = issues.map(({ number, body: text }) => ({ number, body: text }));
    const honoured = await list(only, {}, { name: "tracker_list", args: { fields: ["number", "body", "gone"] } });
    expect(honoured.json).toBe(JSON.stringify(only));
    const { json } = await list(issues.slice(0, 4), {}, { name: "tracker_list", args: { fields: ["gone"] } });
    expect(json).toBe(JSON.stringify(issues.slice(0, 4)));
  });
});

describe("fields beside the arguments of a call", () => {
  const fields = ["id", "titel"];
  const note = "fields: no row has titel; a row has id, title.";

  test("select fields of any tool whose value has rows, and name those that no row has", async () => {
    const { client, given } = await connected(whole);
    const calls = [
      { name: "doc_list", fields },
      { name: "tracker_plain", fields: ["number"] },
      { name: "doc_write", args: { content: "${steps.s1.items[7].title}" }, fields: ["length"] },
    ];
    const { content } = await ask(client, "tool_invoke", { calls });
    const texts = content.map((block) => (block.type === "text" ? block.text : ""));
    expect(texts[1]).toBe(`[s1] doc_list: succeeded\n${note}`);
    expect(texts[2]).toMatch(/^relay:/);
    expect(texts[4]).toMatch(
      /^\{"issues":\[\{"number":100\},\{"number":101\},.*\],"totalCount":30\}\nThe rows have only/,
    );
    expect(texts[5]).toContain("fields: the result has no rows, so it is whole.");
    expect(given).toEqual([{ content: "Title 7" }]);
  });

  test("select fields of a single call", async () => {
    const { client } = await connected(whole);
    const result = await ask(client, "tool_read", { name: "tracker_plain", fields: ["number"] });
    expect(textOf(result)).toMatch(/^\{"issues":\[\{"number":100\},/);
  });

  test("select fields on the two-tool surface", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "rows-"));
    const store = sqlite(path.join(folder, "store.db"));
    onTestFinished(async () => {
      await store.end();
      rmSync(folder, { recursive: true });
    });
    const { client } = await connected(whole, { store }, { surface: "two-tool", twoTool: { store } });
    const calls = [{ pack: "tracker", tool: "plain", fields: ["number"] }];
    const context = { sessionId: "s", memory: "none", goal: "test" };
    expect(textOf(await ask(client, "useTools", { context, calls }))).toMatch(/\n\{"issues":\[\{"number":100\},/);
  });
});
