import { describe, expect, test } from "vitest";
import { memoryValues } from "../values/memory-values.ts";
import { call, handleIn, says, wire } from "./wire.fixture.ts";

const long = "a long line\n".repeat(5_000);

describe("a message that the relay does not change", () => {
  test("passes byte for byte in both directions, even if it is not JSON", async () => {
    const { client, server, end } = wire();
    const messages = [
      '{"jsonrpc":"2.0", "id" : 1e0 ,"method":"tools\\/call","params":{"name":"a","arguments":{"n":1.0,"big":12345678901234567890}}}\n',
      "no JSON at all\n",
      '{"id":8,"method":"resources/read","params":{"uri":"internal://its/own"}}\n',
      '{"id":2,"method":"no/such/method","params":[1,2,{"tools/call":"relay://x"}]}\n',
      `{"jsonrpc":"2.0","method":"notifications/any","params":{"handle":"relay://${"a".repeat(20)}"}}\n`,
      `{"jsonrpc":"2.0","id":3,"result":{"content":{"type":"text","text":${JSON.stringify(long)}}}}\n`,
      '[{"jsonrpc":"2.0","id":4,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/any"}]\n',
    ].join("");
    // One piece, and single bytes.
    client.write(messages);
    for (const byte of messages) client.write(byte);
    server.write(messages);
    await end();
    expect(`${server.lines.join("\n")}\n`).toBe(messages + messages);
    expect(`${client.lines.join("\n")}\n`).toBe(messages);
  });

  test("passes byte for byte when it is long", async () => {
    const { client, server, end } = wire();
    const longest = JSON.stringify(`${long}\ud83d`.repeat(50));
    const params = (more: string) => `"params":{"name":"a","arguments":{"text":${longest}${more}}}}\n`;
    const requests = [
      `{"id":1,"method":"resources/read","params":{"uri":"file:///a"}}\n`,
      `{"id":2,"method":"tools/call",${params(', "n": 1.0')}`,
      `{"id":3,"method":"tools/call",${params(`,"x":[${"1,".repeat(600_000)}1]`)}`,
    ];
    const answers = [
      `{"id":1,"result":{"contents":[{"uri":"file:///a","text":${longest}}]}}\n`,
      `{"id":7,"method":"sampling/createMessage","params":{"messages":[{"content":${longest}}]}}\n`,
      `{"result":{"content":[{"type":"text","text":${longest}}]},"id":2}\n`,
    ];
    requests.forEach((line) => client.write(line));
    await server.line(2);
    answers.forEach((line) => server.write(line));
    await end();
    expect(`${server.lines.join("\n")}\n` === requests.join("")).toBe(true);
    // The last text has half of a surrogate pair, which has no bytes, so it cannot be kept as a value.
    expect(`${client.lines.join("\n")}\n` === answers.join("")).toBe(true);
  });

  test("passes if it is a response whose id is an object with methods", async () => {
    const { client, server } = wire();
    client.write(call(1, "a"));
    await server.line(0);
    const hostile = '{"jsonrpc":"2.0","id":{"toString":1,"valueOf":1,"toJSON":1},"result":{}}';
    server.write(`${hostile}\n`);
    server.write(says(1, "ok"));
    expect(await client.line(0)).toBe(hostile);
    expect(await client.json(1)).toMatchObject(says(1, "ok"));
  });

  test("keeps its order after a changed message, and does not wait for relay_read", async () => {
    const { client, server } = wire();
    client.write(call(1, "make"));
    await server.line(0);
    server.write(says(1, long));
    for (let at = 0; at < 20; at += 1) server.write({ method: "notifications/message", params: { at } });
    const handle = handleIn(await client.json(0));
    await client.line(20);
    expect(client.lines.slice(1).map((line) => (JSON.parse(line) as { params: { at: number } }).params.at)).toEqual(
      Array.from({ length: 20 }, (_, at) => at),
    );
    client.write(call(2, "take", { text: handle }));
    for (let at = 0; at < 20; at += 1) client.write({ method: "notifications/any", params: { at } });
    expect(await server.json(1)).toMatchObject({ params: { arguments: { text: long } } });
    await server.line(21);
    expect(JSON.parse(server.lines[21] ?? "")).toMatchObject({ params: { at: 19 } });
  });
});

describe("a message that the relay changes", () => {
  test("keeps the form of every number, and all other fields", async () => {
    const { client, server } = wire();
    const id = "12345678901234567890123";
    client.write(`{"id":${id},"method":"tools/call","params":{"name":"a","arguments":{}},"more":1.50}\n`);
    await server.line(0);
    server.write(
      `{"more":-0.0,"id":${id},"result":{"content":[{"type":"text","text":${JSON.stringify(long)}}],"n":1e400}}\n`,
    );
    const answer = await client.line(0);
    expect(answer).toMatch(new RegExp(`^\\{"more":-0\\.0,"id":${id},"result":\\{"content":.*,"n":1e400\\}\\}$`));
    client.write(
      `{"id":2,"method":"tools/call","params":{"name":"a","arguments":{"t":"${handleIn(answer)}","n":[1.0,2e3]}}}\n`,
    );
    expect((await server.line(1)).endsWith('"n":[1.0,2e3]}}}')).toBe(true);
  });

  test("can be one message of a batch", async () => {
    const { client, server } = wire();
    const batch = [call(1, "make"), call(2, "relay_read", { handle: "relay://x" }), { id: 3, method: "ping" }];
    client.write(`${JSON.stringify(batch)}\n`);
    expect(JSON.parse(await server.line(0))).toEqual([batch[0], batch[2]]);
    expect(await client.json(0)).toMatchObject({ id: 2, result: { isError: true } });
    server.write(`${JSON.stringify([{ id: 3, result: {} }, says(1, long)])}\n`);
    const answers = JSON.parse(await client.line(1)) as object[];
    expect(answers[0]).toEqual({ id: 3, result: {} });
    expect(handleIn(answers[1])).not.toBe("none");
    client.write(`${JSON.stringify([call(4, "take", { text: "relay://nonsense" })])}\n`);
    expect(await client.json(2)).toMatchObject({ id: 4, result: { isError: true } });
    expect(server.lines.length).toBe(1);
  });

  test("can be the list of tools, with relay_read on its last page, under a name that no page has", async () => {
    const { client, server } = wire();
    const page = async (at: number, cursor: string | undefined, result: object) => {
      client.write({ id: at, method: "tools/list", params: cursor === undefined ? {} : { cursor } });
      await server.line(at);
      server.write({ id: at, result });
      return (await client.json(at))["result"] as {
        tools: { name: string; outputSchema?: object }[];
        nextCursor?: string;
      };
    };
    const schema = {
      type: "object",
      properties: { text: { type: "string", pattern: "^a" }, pattern: { type: "string" } },
    };
    const tools = [
      { name: "relay_read", inputSchema: {} },
      { name: "look", inputSchema: {}, outputSchema: schema },
    ];
    expect(await page(0, undefined, { tools, nextCursor: "2", ttlMs: 1_000 })).toEqual({
      tools: [
        tools[0],
        {
          ...tools[1],
          outputSchema: { ...schema, properties: { text: { type: "string" }, pattern: { type: "string" } } },
        },
      ],
      nextCursor: "2",
      ttlMs: 1_000,
    });
    const last = await page(1, "2", { tools: [{ name: "relay_read_2", inputSchema: {} }], nextCursor: null });
    expect(last.tools.map(({ name }) => name)).toEqual(["relay_read_2", "relay_read_3"]);
    client.write(call(9, "relay_read", {}));
    expect(await server.json(2)).toMatchObject({ id: 9 });
  });

  test("can be the result of a task, but not its state", async () => {
    const { client, server } = wire();
    client.write({ id: 1, method: "tools/call", params: { name: "make", arguments: {}, task: {} } });
    await server.line(0);
    const created = { task: { taskId: "t", status: "working" } };
    server.write({ id: 1, result: created });
    expect((await client.json(0))["result"]).toEqual(created);
    client.write({ id: 2, method: "tasks/result", params: { taskId: "t" } });
    await server.line(1);
    server.write(says(2, long));
    expect(handleIn(await client.json(1))).not.toBe("none");
  });

  test("stays unchanged if a value cannot be stored, and onError gets the reason", async () => {
    const { client, server, errors } = wire({ values: memoryValues({ maxBytes: 1_000 }) });
    for (const [at, text] of [long, long.repeat(40)].entries()) {
      client.write(call(at, "make"));
      await server.line(at);
      server.write(says(at, text));
      expect(await client.json(at)).toEqual({ jsonrpc: "2.0", ...says(at, text) });
    }
    expect(errors.map(String)).toEqual(
      Array(2).fill(expect.stringContaining("the value is larger than the 1000 bytes")),
    );
  });
});

describe("values of megabytes", () => {
  const megabytes = long.repeat(40);

  test("are boxed in every place for a text, and resolved in every argument", async () => {
    const { client, server } = wire();
    const bytes = Buffer.alloc(1_500_000, "binary\0");
    const content = [
      { type: "text", text: megabytes, annotations: { priority: 1 } },
      { type: "resource", resource: { uri: "file:///a", mimeType: "text/markdown", text: megabytes } },
      { type: "image", mimeType: "image/png", data: bytes.toString("base64") },
      { type: "text", text: "short" },
    ];
    client.write(call(1, "make"));
    await server.line(0);
    server.write({ id: 1, result: { content, _meta: { kept: [1] } } });
    const { result } = (await client.json(0)) as { result: { content: Record<string, unknown>[]; _meta: object } };
    expect(client.lines[0]?.length).toBeLessThan(3_000);
    expect(result._meta).toEqual({ kept: [1] });
    expect(result.content.map(({ type }) => type)).toEqual([
      "text",
      "text",
      "text",
      "text",
      ...Array(3).fill("resource_link"),
    ]);
    expect(result.content[0]).toMatchObject({ annotations: { priority: 1 } });
    const [text, markdown, image] = result.content.map((block) => handleIn(block));
    expect(result.content.slice(4).map(({ mimeType }) => mimeType)).toEqual([
      "text/plain",
      "text/markdown",
      "image/png",
    ]);

    client.write(
      call(2, "take", {
        all: [{ text }, markdown, { type: "resource_link", uri: text }],
        image,
        part: `${text}#lines=1-1`,
      }),
    );
    const { params } = (await server.json(1)) as {
      params: { arguments: { all: unknown[]; image: string; part: string } };
    };
    const { all, image: taken, part } = params.arguments;
    expect([(all[0] as { text: string }).text, all[1], all[2]].every((one) => one === megabytes)).toBe(true);
    expect(Buffer.from(taken, "base64").equals(bytes)).toBe(true);
    expect(part).toBe("a long line\n");
  });

  test("are answered in full even if the client or server has ended", async () => {
    const { client, server, end } = wire();
    client.write(call(1, "make"));
    await server.line(0);
    server.write(says(1, megabytes));
    const handle = handleIn(await client.json(0));
    for (let id = 2; id < 5; id += 1) client.write({ id, method: "resources/read", params: { uri: handle } });
    client.write(call(5, "relay_read", { handle, mode: "length" }));
    expect((await end()).map(({ length }) => length)).toEqual([0, 0]);
    const answers = client.lines.slice(1).map((line) => JSON.parse(line) as { id: number; result: object });
    expect(new Set(answers.map(({ id }) => id))).toEqual(new Set([2, 3, 4, 5]));
    const texts = answers.flatMap(({ result }) =>
      "contents" in result ? (result.contents as { text: string }[]) : [],
    );
    expect(texts.map(({ text }) => text === megabytes)).toEqual([true, true, true]);
  });

  test("are boxed in structured content, and equal content is one value", async () => {
    const { client, server } = wire();
    client.write(call(1, "make"));
    await server.line(0);
    const structuredContent = { page: { text: megabytes, lines: 3 } };
    server.write({ id: 1, result: { content: [{ type: "text", text: megabytes }], structuredContent } });
    const { result } = (await client.json(0)) as { result: { content: object[]; structuredContent: object } };
    const handle = handleIn(result.content);
    expect(result.structuredContent).toEqual({ page: { text: handle, lines: 3 } });
    expect(result.content.length).toBe(1);

    client.write({ id: 2, method: "resources/read", params: { uri: handle } });
    const read = await client.json(1);
    expect(read).toMatchObject({ id: 2, result: { contents: [{ uri: handle, mimeType: "text/plain" }] } });
    expect((read["result"] as { contents: [{ text: string }] }).contents[0].text === megabytes).toBe(true);
  });

  test("are replaced by links in json mode", async () => {
    const { client, server } = wire({ mode: "json" });
    for (const [at, text] of [megabytes, long].entries()) {
      client.write(call(at, "make"));
      await server.line(at);
      server.write(says(at, text));
      const { result } = (await client.json(at)) as { result: { content: { text: string }[] } };
      expect(JSON.parse(result.content[0]?.text ?? "")).toMatchObject({ type: "resource_link", size: text.length });
    }
  });

  test("are not boxed below the threshold of a tool", async () => {
    const { client, server } = wire({ toolThresholdTokens: { make: false } });
    client.write(call(1, "make"));
    await server.line(0);
    server.write(says(1, megabytes));
    expect(await client.json(0)).toEqual({ jsonrpc: "2.0", ...says(1, megabytes) });
  });
});
