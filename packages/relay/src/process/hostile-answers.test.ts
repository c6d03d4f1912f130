import { expect, test } from "vitest";
import { call, says, wire } from "./wire.fixture.ts";

const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
const limit = "nested more than 256 levels deep (limit of toolpacks relay)";

test("invalid tools in a list are left out and named, and the others are listed", async () => {
  const { client, server, errors } = wire();
  client.write({ id: 1, method: "tools/list" });
  await server.line(0);
  const go = { name: "go", inputSchema: { type: "object" }, outputSchema: null };
  const invalid = [null, 5, { name: { a: 1 } }, { name: "bad", inputSchema: {}, outputSchema: "z" }];
  server.write({ id: 1, result: { tools: [...invalid.slice(0, 2), go, ...invalid.slice(2)] } });
  expect(await client.json(0)).toMatchObject({ id: 1, result: { tools: [go, { name: "relay_read" }] } });
  const reasons = [
    "tools[0]: expected an object",
    "tools[1]: expected an object",
    "tools[3]: name: expected a string",
    'tools[4]: outputSchema of "bad": expected an object',
  ];
  expect(errors.map(String)).toEqual([`Error: tools/list: left out ${reasons.join("; ")}`]);

  client.write({ id: 2, method: "tools/list" });
  await server.line(1);
  server.write({ id: 2, result: { tools: Array.from({ length: 10_000 }, () => null) } });
  expect(await client.json(1)).toMatchObject({ id: 2, result: { tools: [{ name: "relay_read" }] } });
  expect(String(errors[1])).toMatch(/expected an object; and 9990 more$/);
});

test.each([
  ["short", 3_000],
  ["long", 400_000],
])("a %s answer that is nested too deep becomes an error that names the limit", async (_, levels) => {
  const { client, server, errors } = wire();
  client.write({ id: 1, method: "tools/list" });
  client.write(call(2, "go"));
  await server.line(1);
  server.write(
    `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"go","inputSchema":{},"outputSchema":${nested(levels)}}]}}\n`,
  );
  server.write(`{"jsonrpc":"2.0","id":2,"result":{"content":[],"structuredContent":${nested(levels)}}}\n`);
  server.write(says(9, "next"));
  expect(await client.json(0)).toMatchObject({ id: 1, error: { message: `the server's response is ${limit}` } });
  expect(await client.json(1)).toMatchObject({ id: 2, error: { message: `the server's response is ${limit}` } });
  expect(await client.json(2)).toMatchObject(says(9, "next"));
  expect(errors).toHaveLength(2);
});

test("a call whose arguments are nested too deep gets an error that names the limit", async () => {
  const { client, server, errors } = wire();
  const args = `{"handle":"relay://${"a".repeat(20)}","deep":${nested(3_000)}}`;
  client.write(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"go","arguments":${args}}}\n`);
  client.write({ id: 2, method: "ping" });
  expect(await client.json(0)).toMatchObject({ id: 1, error: { message: `the client's message is ${limit}` } });
  expect(await server.json(0)).toMatchObject({ id: 2, method: "ping" });
  expect(errors).toHaveLength(1);
});

test.each([["2.0"], ["2e0"], [`2.${"0".repeat(120)}`], [`2${"0".repeat(200)}e-200`]])(
  "a response whose id is written in another form is boxed: %s",
  async (id) => {
    const { client, server } = wire();
    client.write(call(2, "go"));
    await server.line(0);
    const text = "x".repeat(200_000);
    server.write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"${text}"}]}}\n`);
    expect(await client.json(0)).toMatchObject({
      id: 2,
      result: { content: [{ type: "text" }, { type: "resource_link" }] },
    });
    expect((await client.line(0)).length).toBeLessThan(10_000);
  },
);

test("a response whose id is written in another form is boxed, without its invalid content blocks", async () => {
  const { client, server, errors } = wire();
  client.write(call(2, "go"));
  await server.line(0);
  const blocks = `null,5,{"type":"text"},{"type":"text","text":"${"x".repeat(200_000)}"}`;
  server.write(`{"jsonrpc":"2.0","id":2.0,"result":{"content":[${blocks}]}}\n`);
  const content = [
    { type: "text", text: expect.stringContaining("200000 bytes") as string },
    { type: "resource_link" },
  ];
  expect(await client.json(0)).toMatchObject({ id: 2, result: { content } });
  expect(errors.map(String)).toEqual(["Error: go: left out blocks that are no content of MCP"]);
});
