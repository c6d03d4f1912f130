import { randomBytes } from "node:crypto";
import type { CallToolResult, ContentBlock } from "@toolpacks/core";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import { createRelay, type Relay, type RelaySettings } from "./create-relay.ts";
import { memoryValues } from "./values/memory-values.ts";
import { readResource } from "./read/read-resource.ts";

const make = (settings: RelaySettings = {}) => createRelay({ values: memoryValues(), ...settings });
const text = (value: string): ContentBlock => ({ type: "text", text: value });
const log = Array.from({ length: 60_000 }, (_, at) => `line ${at + 1}: ${"x".repeat(at % 40)}`).join("\n");

/** The handle in a result, wherever it stands. */
function handleOf(value: unknown): string {
  return /relay:\/\/[a-z2-7]{20}/.exec(JSON.stringify(value))?.[0] ?? "none";
}

async function keep(relay: Relay, data: string, mimeType = "text/plain"): Promise<string> {
  return `relay://${(await relay.values.put({ data, mimeType, text: true })).id}`;
}

async function readText(relay: Relay, request: Parameters<Relay["read"]>[0]): Promise<string> {
  const [block] = (await relay.read(request)).blocks;
  return block?.type === "text" ? block.text : (block?.type ?? "");
}

describe("box", () => {
  test("returns the same object for a result within the threshold", async () => {
    const relay = make();
    const small: CallToolResult = { content: [text("small")], structuredContent: { list: [1, "two"] } };
    expect(await relay.box(small, "any")).toBe(small);
    const image: CallToolResult = { content: [{ type: "image", data: "A".repeat(100_000), mimeType: "image/png" }] };
    expect(await relay.box(image, "any")).toBe(image);
  });

  test("keeps a large text, describes it in under 120 tokens, and links to it", async () => {
    const relay = make();
    const boxed = await relay.box({ content: [text(log)], _meta: { kept: true } }, "log_show");
    const handle = handleOf(boxed);
    expect(boxed).toMatchObject({
      content: [
        {
          type: "text",
          text: expect.stringContaining(`${handle} stands for text/plain, ${log.length} bytes, 60000 lines.`),
        },
        { type: "resource_link", uri: handle, name: "log_show", mimeType: "text/plain", size: log.length },
      ],
      _meta: { kept: true },
    });
    expect(JSON.stringify(boxed.content[0])).toContain("1: line 1:\\n2: line 2: x");
    expect(encode(JSON.stringify(boxed)).length).toBeLessThan(200);
    // The tokens of a random id vary.
    const { text: described } = boxed.content[0] as { readonly text: string };
    expect(encode(described.replaceAll(handle, "relay://id")).length).toBeLessThan(120);
    expect(await relay.unbox({ content: handle })).toEqual({ content: log });
  });

  test("replaces a large text in structured content without a link, also if the text content repeats it", async () => {
    const relay = make();
    const structured = { path: "a", parts: [{ content: log, note: "short" }] };
    const boxed = await relay.box(
      { content: [text(JSON.stringify(structured, undefined, 1))], structuredContent: structured },
      "read",
    );
    const handle = handleOf(boxed);
    const expected = { path: "a", parts: [{ content: handle, note: "short" }] };
    expect(boxed.structuredContent).toEqual(expected);
    expect(boxed.content).toEqual([text(JSON.stringify(expected))]);
    expect(await relay.unbox(boxed.structuredContent)).toEqual(structured);
  });

  test("keeps structured content with many small fields, whole if there is no output schema", async () => {
    const relay = make();
    const items = Array.from({ length: 2_000 }, (_, at) => ({ id: at, name: `name ${at}` }));
    const result = { content: [text("2000 items")], structuredContent: { items } };
    expect(await relay.box(result, "list")).toBe(result);
    const boxed = await relay.box(result, "list", false);
    expect(boxed.structuredContent).toBeUndefined();
    expect(boxed.content.map(({ type }) => type)).toEqual(["text", "resource_link"]);
    expect(await readText(relay, { handle: handleOf(boxed), mode: "pick", pattern: "$.items[1999].name" })).toBe(
      "name 1999",
    );
  });

  test("replaces a large text in structured content beside values at excessive depth", async () => {
    const relay = make();
    const body = "x".repeat(50_000);
    const nested = (depth: number, inner: unknown) =>
      Array.from({ length: depth }).reduce<unknown>((outer) => [outer], inner);
    const structured = { body, deep: nested(520, body), near: nested(499, body) };
    const { structuredContent } = await relay.box({ content: [], structuredContent: structured }, "any");
    const handle = handleOf(structuredContent);
    expect(structuredContent).toEqual({ body: handle, deep: structured.deep, near: nested(499, handle) });
    expect(await relay.unbox({ body: handle })).toEqual({ body });
  });

  test("links only to handles in the final result", async () => {
    const relay = make();
    const items = Array.from({ length: 1_000 }, (_, at) => ({ at, body: `${at} ${"x".repeat(20_000)}` }));
    const boxed = await relay.box({ content: [], structuredContent: { items } }, "any", false);
    expect(boxed.content.map(({ type }) => type)).toEqual(["text", "resource_link"]);
    expect(await relay.unbox({ whole: handleOf(boxed) })).toEqual({ whole: JSON.stringify({ items }) });
  });

  test("keeps bytes as bytes", async () => {
    const relay = make({ mediaThreshold: 1_000 });
    const bytes = randomBytes(50_000);
    const data = bytes.toString("base64");
    const boxed = await relay.box(
      {
        content: [
          { type: "image", data, mimeType: "image/png" },
          { type: "resource", resource: { uri: "file:///a", mimeType: "application/zip", blob: data } },
        ],
      },
      "any",
    );
    expect(boxed.content.map(({ type }) => type)).toEqual(["text", "text", "resource_link", "resource_link"]);
    const handle = handleOf(boxed);
    expect(boxed.content[0]).toMatchObject({ text: expect.stringContaining("image/png, 50000 bytes.") });
    expect(await relay.unbox({ data: handle })).toEqual({ data });
    for (const mode of [{}, { mode: "whole" }] as const) {
      expect((await relay.read({ handle, ...mode })).blocks).toEqual([{ type: "image", data, mimeType: "image/png" }]);
    }
  });

  test("keeps many texts that are large together as one value", async () => {
    const relay = make();
    const boxed = await relay.box(
      { content: Array.from({ length: 100 }, (_, at) => text(`${at}`.repeat(200))) },
      "any",
    );
    expect(boxed.content.map(({ type }) => type)).toEqual(["text", "resource_link"]);
  });

  const long = "x".repeat(100_000);
  const link = { type: "resource_link", uri: "file:///a", name: "a" } as const;
  test.each<[string, CallToolResult["content"]]>([
    ["a link with a long description", [{ ...link, description: long }]],
    ["a resource with a long address", [{ type: "resource", resource: { uri: `file:///${long}`, text: "a" } }]],
    ["an image with a long type", [{ type: "image", data: "AAAA", mimeType: `image/${long}` }]],
    ["a text with long metadata", [Object.assign(text("a"), { _meta: { a: long } })]],
    ["many links", Array.from({ length: 2_000 }, () => link)],
    [
      "many resources",
      Array.from({ length: 20 }, () => ({
        type: "resource" as const,
        resource: { uri: "file:///a", text: "y".repeat(5_000) },
      })),
    ],
  ])("keeps %s as JSON", async (_, content) => {
    const relay = make();
    const boxed = await relay.box({ content }, "any");
    expect(boxed.content.map(({ type }) => type)).toEqual(["text", "resource_link"]);
    expect(JSON.stringify(boxed).length).toBeLessThan(2_000);
    const kept = JSON.stringify(content.length === 1 ? content[0] : content);
    expect(await relay.unbox({ all: handleOf(boxed) })).toEqual({ all: kept });
  });

  test("shows images while their total is small", async () => {
    const relay = make();
    const image = (at: number) => ({ type: "image" as const, data: `${at}`.repeat(600_000), mimeType: "image/png" });
    const boxed = await relay.box({ content: [1, 2, 3, 4].map(image) }, "any");
    const types = ["image", "image", "text", "text", "resource_link", "resource_link"];
    expect(boxed.content.map(({ type }) => type)).toEqual(types);
  });

  test("uses the threshold in tokens, the tool's threshold and the mode", async () => {
    const body = "some words ".repeat(50);
    const isBoxed = async (relay: Relay, tool: string) =>
      (await relay.box({ content: [text(body)] }, tool)).content.length > 1;
    expect(await isBoxed(make({ thresholdTokens: 90 }), "a")).toBe(true);
    expect(await isBoxed(make({ thresholdTokens: 200 }), "a")).toBe(false);
    const relay = make({ toolThresholdTokens: { low: 20, never: false }, thresholdTokens: 90, mode: "json" });
    expect(await isBoxed(relay, "a")).toBe(true);
    expect(await isBoxed(relay, "never")).toBe(false);
    expect(await isBoxed(make({ thresholdTokens: false, toolThresholdTokens: { low: 20 } }), "low")).toBe(true);
    expect(await isBoxed(make({ thresholdTokens: false, toolThresholdTokens: { low: 20 } }), "constructor")).toBe(
      false,
    );
    const [first] = (await relay.box({ content: [text(body)] }, "a")).content;
    const link = JSON.parse(first?.type === "text" ? first.text : "") as Record<string, unknown>;
    expect(link).toMatchObject({
      type: "resource_link",
      uri: handleOf(first),
      mimeType: "text/plain",
      size: body.length,
    });
    expect(await relay.unbox({ one: link, other: JSON.stringify(link) })).toEqual({ one: body, other: body });
    const fields = await relay.box({ content: [], structuredContent: { body } }, "a");
    expect(await relay.unbox(fields.structuredContent)).toEqual({ body });
  });

  test("does not box a lone surrogate, which bytes cannot represent", async () => {
    const relay = make();
    const broken = { content: [text(`${"x".repeat(20_000)}\uD800`)] };
    expect(await relay.box(broken, "any")).toBe(broken);
  });
});

describe("unbox", () => {
  test("replaces a handle at any depth, and returns the same object without a handle", async () => {
    const relay = make();
    const handle = await keep(relay, "the value");
    const args = { a: [{ b: handle }], c: `see ${handle}`, d: `${handle} and more`, e: 5, f: null };
    expect(await relay.unbox(args)).toEqual({ ...args, a: [{ b: "the value" }] });
    const none = { a: ["relay", { b: "relay:/" }], c: `\n${handle}`, ["relay://key"]: 1, n: `${handle}\n` };
    expect(await relay.unbox(none)).toBe(none);
    const link = { type: "resource_link", uri: handle, name: "any" };
    expect(await relay.unbox({ link, older: handle.replace("relay", "internal"), same: `\${${handle}}` })).toEqual({
      link: "the value",
      older: "the value",
      same: "the value",
    });
  });

  test("resolves ranges", async () => {
    const relay = make();
    const lines = await keep(relay, "eins\nzwei\ndrei é\nvier\n");
    const json = await keep(relay, JSON.stringify({ items: [{ id: 1, name: "a b" }, { id: 2 }] }));
    const range = async (given: string) => (await relay.unbox({ value: given })).value;
    expect(await range(`\${${lines}#lines=2-3}`)).toBe("zwei\ndrei é\n");
    expect(await range(`${lines}#lines=3-`)).toBe("drei é\nvier\n");
    expect(await range(`${lines}#lines=2`)).toBe("zwei\n");
    expect(await range(`${lines}#lines=-1`)).toBe("vier\n");
    expect(await range(`${lines}#lines=400-500`)).toBe("");
    expect(await range(`${lines}#chars=15-17`)).toBe("é\nv");
    expect(await range(`${lines}#bytes=0-3`)).toBe("eins");
    expect(await range(`${json}#json=$.items[0]`)).toEqual({ id: 1, name: "a b" });
    expect(await range(`\${${json}#json=$.items[?@.name == 'a b'].id}`)).toEqual([1]);
    expect(await range(`${json}#json=$..id`)).toEqual([1, 2]);
    await expect(range(`${json}#json=$.nothing`)).rejects.toMatchObject({ code: "not_found" });
  });

  test.each([
    "relay://",
    "relay://short",
    `relay://${"a".repeat(20)}`,
    `relay://${"A".repeat(20)}`,
    `relay://${"a".repeat(21)}`,
    "relay://../../../etc/passwd",
    "internal://wiki/page",
    `\${relay://${"a".repeat(20)}#lines=1-2}`,
    '{"type":"resource_link","uri":"relay://unknown"}',
  ])("refuses %s as not_found", async (handle) => {
    await expect(make().unbox({ handle })).rejects.toMatchObject({ code: "not_found" });
  });

  test("refuses an invalid range", async () => {
    const relay = make();
    const handle = await keep(relay, "value");
    for (const range of [
      "lines=0-2",
      "lines=-0",
      "chars=-0",
      "bytes=-0",
      "lines=5-2",
      "words=1-2",
      "lines",
      "",
      "lines=a-b",
      "lines=1-2-3",
    ]) {
      await expect(relay.unbox({ handle: `${handle}#${range}` })).rejects.toMatchObject({ code: "not_found" });
    }
  });

  test("returns a value that is itself a handle as text", async () => {
    const relay = make();
    const inner = await keep(relay, "inner");
    const outer = await keep(relay, inner);
    expect(await relay.unbox({ outer })).toEqual({ outer: inner });
    const guess = `${inner.slice(0, -1)}${inner.endsWith("a") ? "b" : "a"}`;
    await expect(relay.unbox({ guess })).rejects.toMatchObject({ code: "not_found" });
    await expect(make().unbox({ list: [{ inner }] })).rejects.toMatchObject({
      code: "not_found",
      message: `list.0.inner: ${inner} is unknown or has expired`,
    });
  });

  test("parses JSON where a schema accepts no text", async () => {
    const relay = make();
    const json = await keep(relay, '{"a":[1]}');
    const schema = {
      type: "object",
      properties: {
        body: { type: "object" },
        text: { type: "string" },
        list: { type: "array", items: { type: "object" } },
      },
    };
    expect(await relay.unbox({ body: json, text: json, list: [json] }, { schema })).toEqual({
      body: { a: [1] },
      text: '{"a":[1]}',
      list: [{ a: [1] }],
    });
  });

  test("resolves at most the bytes that a call may have", async () => {
    const maxBytes = 1_000;
    const relay = make();
    const handle = await keep(relay, "x".repeat(600));
    await expect(relay.unbox({ a: handle }, { maxBytes })).resolves.toBeDefined();
    await expect(relay.unbox({ a: handle, b: handle }, { maxBytes })).rejects.toMatchObject({ code: "too_large" });
    const other = await keep(relay, "y".repeat(600));
    await expect(relay.unbox({ a: handle, b: other }, { maxBytes })).rejects.toMatchObject({ code: "too_large" });
    expect(await relay.unbox({ a: handle, b: `${other}#chars=0-9` }, { maxBytes })).toMatchObject({ b: "yyyyyyyyyy" });
  });
});

describe("readResource", () => {
  const { signal } = new AbortController();

  test("returns at most 64 MiB, with or without a range", async () => {
    const relay = make();
    const handle = await keep(relay, "x".repeat(65 * 1024 * 1024));
    for (const uri of [handle, `${handle}#bytes=0-`, `${handle}#lines=1-`]) {
      await expect(readResource(relay, uri, signal)).rejects.toMatchObject({ code: "too_large" });
    }
    expect(await readResource(relay, `${handle}#bytes=0-9`, signal)).toMatchObject([{ text: "xxxxxxxxxx" }]);
  });

  test("returns picked JSON as text, also if the JSON was kept as bytes", async () => {
    const relay = make();
    const data = Buffer.from('{"a":{"b":[1]}}');
    const { id } = await relay.values.put({ data, mimeType: "application/json", text: false });
    expect(await readResource(relay, `relay://${id}#json=$.a`, signal)).toMatchObject([{ text: '{"b":[1]}' }]);
    expect(await readResource(relay, `relay://${id}`, signal)).toMatchObject([{ blob: data.toString("base64") }]);
  });
});

describe("read", () => {
  const numbers = Array.from({ length: 30_000 }, (_, at) => `${at + 1}`).join("\n");

  test("returns a small value whole, and a large value in pages that add up to it", async () => {
    const relay = make();
    const small = await keep(relay, "all of it\n");
    for (const mode of [{}, { mode: "whole" }] as const) {
      expect(await readText(relay, { handle: small, ...mode })).toBe("all of it\n");
    }
    const original = "aé🐟".repeat(5_000);
    const handle = await keep(relay, original);
    for (const mode of [{}, { mode: "whole" }] as const) {
      let whole = "";
      for (let start: number | undefined = 0; start !== undefined;) {
        const page = await readText(relay, { handle, ...mode, start });
        expect(Buffer.byteLength(page)).toBeLessThan(8_100);
        const [, body = "", next] =
          /^(.*)\n\[characters \d+ to \d+ of 15000(?:; next: start (\d+))?\]$/s.exec(page) ?? [];
        whole += body;
        expect(whole.length).toBeLessThanOrEqual(original.length);
        start = next === undefined ? undefined : Number(next);
      }
      expect(whole).toBe(original);
    }
    expect(await readText(relay, { handle, mode: "whole" })).toBe(await readText(relay, { handle, start: 0 }));
  });

  test("returns at most a page, whatever size is requested", async () => {
    const relay = make();
    const handle = await keep(relay, log);
    const json = await keep(relay, JSON.stringify(log.split("\n")));
    for (const request of [
      { handle, count: 1e9 },
      { handle, mode: "whole" },
      { handle: `${handle}#lines=1-1000000` },
      { handle: `${handle}#lines=1-1000000`, mode: "whole" },
      { handle, mode: "lines", count: 1e9 },
      { handle, mode: "grep", pattern: ".", count: 1e9, window: 50 },
      { handle: json, mode: "pick", pattern: "$..*", count: 1e9 },
      { handle: json, mode: "pick", pattern: "$" },
    ] as const) {
      const answer = await readText(relay, request);
      expect(Buffer.byteLength(answer), JSON.stringify(request)).toBeLessThan(8_200);
      expect(answer).toMatch(/start \d+/);
    }
  });

  test("returns slices and lines, counted from the end for a negative start", async () => {
    const relay = make();
    const handle = await keep(relay, numbers);
    expect(await readText(relay, { handle, mode: "lines", start: 10, count: 2 })).toBe(
      "10\n11\n[lines 10 to 11 of 30000]",
    );
    expect(await readText(relay, { handle, mode: "lines", start: -2 })).toBe(
      "29999\n30000\n[lines 29999 to 30000 of 30000]",
    );
    expect(await readText(relay, { handle, start: -5 })).toMatch(/^30000\n\[characters/);
    expect(await readText(relay, { handle, start: 2, count: 3 })).toMatch(/^2\n3\n\[characters 2 to 5 of/);
    for (const mode of [{}, { mode: "whole" }] as const) {
      expect(await readText(relay, { handle: `${handle}#lines=7-8`, ...mode })).toBe("7\n8\n[lines 7 to 8 of 30000]");
    }
    for (const mode of [{}, { mode: "whole" }] as const) {
      expect(await readText(relay, { handle: `${handle}#lines=7-10`, ...mode, start: 9 })).toBe(
        "9\n10\n[lines 9 to 10 of 30000]",
      );
      expect(await readText(relay, { handle: `${handle}#chars=0-9`, ...mode, start: 2, count: 3 })).toMatch(
        /^2\n3\n\[characters 2 to 5 of/,
      );
    }
    expect(await readText(relay, { handle, mode: "lines", start: 40_000 })).toBe("[no such line: there are 30000]");
    expect(await readText(relay, { handle, mode: "length" })).toMatch(
      /^text\/plain, \d+ bytes, \d+ characters, 30000 lines$/,
    );
    const long = await keep(relay, `${"y".repeat(30_000)}\nlast`);
    expect(await readText(relay, { handle: long, mode: "lines" })).toMatch(/line 1 of 2 is longer than a page/);
    expect(await readText(relay, { handle: long, mode: "lines", start: 2 })).toBe("last\n[lines 2 to 2 of 2]");
  });

  test("greps with line numbers, context, a limit, and a start for the next call", async () => {
    const relay = make();
    const handle = await keep(relay, numbers);
    expect(await readText(relay, { handle, mode: "grep", pattern: "^2999\\d$", count: 2, window: 1 })).toBe(
      "29989- 29989\n29990: 29990\n29991: 29991\n29992- 29992\n[2 matches; there are more: start 2]".replace(
        "29992- 29992\n",
        "",
      ),
    );
    expect(await readText(relay, { handle, mode: "grep", pattern: "^2999\\d$", start: 8 })).toBe(
      "29998: 29998\n29999: 29999",
    );
    expect(await readText(relay, { handle, mode: "grep", pattern: "needle" })).toBe("[no match]");
    const line = await keep(relay, `${"hay ".repeat(100_000)}needle${" hay".repeat(100_000)}`);
    const found = await readText(relay, { handle: line, mode: "grep", pattern: "needle" });
    expect(found).toMatch(/^1: ….*needle.*…$/);
    expect(found.length).toBeLessThan(320);
  });

  test("takes bounded time for a hostile regular expression or path", async () => {
    const relay = make();
    const handle = await keep(relay, `${"a".repeat(60_000)}!`);
    expect(await readText(relay, { handle, mode: "grep", pattern: "^(a+)+$" })).toBe("[no match]");
    const json = await keep(relay, JSON.stringify(["a".repeat(40_000) + "!"]));
    expect(await readText(relay, { handle: json, mode: "pick", pattern: "$[?search(@, '^(a|a)*$')]" })).toBe(
      "[nothing matches]",
    );
    const deep = await keep(
      relay,
      JSON.stringify(Array.from({ length: 13 }).reduce<unknown>((inner) => [inner, inner], 1)),
    );
    const exploding = { handle: deep, mode: "pick", pattern: "$..[?count($..[?count($..*) > 5]) > 5]" } as const;
    await expect(relay.read(exploding)).rejects.toMatchObject({ code: "too_large" });
    for (const pattern of ["(?=a)", "(a)\\1", "(", "a{2000}"]) {
      await expect(relay.read({ handle, mode: "grep", pattern })).rejects.toMatchObject({ code: "invalid_input" });
    }
  });

  test("does not block other work while it greps a long line", async () => {
    const relay = make();
    const handle = await keep(relay, "a".repeat(900_000));
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    expect(await readText(relay, { handle, mode: "grep", pattern: "a.*b|a", start: 60, count: 20 })).toMatch(
      /^1: …aaa/,
    );
    clearInterval(timer);
    expect(turns).toBeGreaterThan(5);
  });

  test("refuses to pick from JSON that is nested too deep", async () => {
    const relay = make();
    const handle = await keep(relay, `${"[".repeat(120_000)}${"]".repeat(120_000)}`);
    for (const pattern of ["$", "$..*", "$[0]"]) {
      await expect(relay.read({ handle, mode: "pick", pattern })).rejects.toMatchObject({
        code: "too_large",
        message: "pick: the value is nested more than 256 levels deep",
      });
    }
  });

  test("picks from JSON, with one line per match", async () => {
    const relay = make();
    const handle = await keep(relay, JSON.stringify({ items: [{ name: "a" }, { name: "b" }], note: "x" }));
    const read = (pattern: string) => readText(relay, { handle, mode: "pick", pattern });
    expect(await read("$.note")).toBe("x");
    expect(await read(".items[0]")).toBe('{"name":"a"}');
    expect(await read("$.items[*].name")).toBe('"a"\n"b"');
    expect(await read("$.none")).toBe("[nothing matches]");
    await expect(read("$.[")).rejects.toMatchObject({ code: "invalid_input" });
    const plain = await keep(relay, "no JSON");
    await expect(relay.read({ handle: plain, mode: "pick", pattern: "$" })).rejects.toMatchObject({
      code: "invalid_input",
    });
  });

  test("describes bytes, and returns base64 on request", async () => {
    const relay = make();
    const bytes = randomBytes(10_000);
    const { id } = await relay.values.put({ data: bytes, mimeType: "application/zip", text: false });
    const handle = `relay://${id}`;
    expect(await readText(relay, { handle })).toMatch(/^application\/zip, 10000 bytes/);
    for (const mode of [{}, { mode: "whole" }, { mode: "slice" }] as const) {
      expect(await readText(relay, { handle, ...mode, start: 3, count: 3 })).toBe(
        `${bytes.subarray(3, 6).toString("base64")}\n[bytes 3 to 6 of 10000 in base64]`,
      );
    }
    await expect(relay.read({ handle, mode: "grep", pattern: "x" })).rejects.toMatchObject({ code: "invalid_input" });
    await expect(relay.read({ handle: "relay://nothing" })).rejects.toMatchObject({ code: "not_found" });
  });
});
