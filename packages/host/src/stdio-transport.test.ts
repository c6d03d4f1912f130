import { afterEach, describe, expect, test } from "vitest";
import { closeAll, line, Wire } from "./wire.fixture.ts";

afterEach(closeAll);

const large = "x".repeat(64 * 1024 * 1024);
const tooLarge = { code: -32_600, message: expect.stringContaining("larger than 67,108,864 bytes") as string };

describe("messages", () => {
  const connect = async () => (await new Wire().connect()).initialize();
  const isServing = async (wire: Wire) =>
    expect(await wire.call("say", { text: "still here" })).toHaveProperty("result.structuredContent.text");

  test.each<[string, string, unknown]>([
    [
      "first",
      `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"say","arguments":{"text":"${large}"}}}`,
      7,
    ],
    [
      "last",
      `{"method":"tools/call","params":{"name":"say","arguments":{"text":"${large}"}},"jsonrpc":"2.0","id":"a"}`,
      "a",
    ],
    ["in the middle", `{"params":{"text":"${large}"},"id":7,"params":{"text":"${large}"}}`, null],
  ])("that are too large are answered under their id, %s, and the session continues", async (_, text, id) => {
    const wire = await connect();
    const answer = wire.next((message) => message["error"] !== undefined);
    wire.write(`${text}\n`);
    expect(await answer).toMatchObject({ id, error: tooLarge });
    await isServing(wire);
  });

  test("of several megabytes are served", async () => {
    const text = "щ".repeat(1_500_000);
    const wire = await connect();
    expect(await wire.call("say", { text })).toMatchObject({ result: { structuredContent: { text } } });
  });

  test("to the client beyond 8 MiB become an error that names the limit, and the session continues", async () => {
    const wire = await connect();
    expect(await wire.call("say", { text: "щ".repeat(6_000_000) })).toMatchObject({
      error: {
        code: -32_603,
        message: expect.stringContaining("too_large: the response is larger than 8,388,608 bytes"),
      },
    });
    await isServing(wire);
  });

  test("that are too large and answer a request of the server get no answer", async () => {
    const wire = await connect();
    const answer = wire.call("ask", {});
    const { id } = await wire.next(({ method }) => method === "elicitation/create");
    wire.write(`{"jsonrpc":"2.0","id":${String(id)},"result":{"action":"accept","content":{"text":"${large}"}}}\n`);
    wire.write(line({ id, result: { action: "decline" } }));
    expect(await answer).toMatchObject({ result: { structuredContent: { action: "decline" } } });
    await isServing(wire);
  });

  test.each([300, 9_000, 1_000_000])("nested %i levels deep are answered with an error", async (depth) => {
    const wire = await connect();
    const deep = `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
    const error = { code: -32_600, message: expect.stringContaining("more than 256 levels") as string };
    const answers = [2, 3].map((id) => wire.next((message) => message["id"] === id));
    wire.write(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"say","arguments":${deep}}}\n`);
    wire.write(`{"jsonrpc":"2.0","id":3,"method":"initialize","params":{"clientInfo":${deep}}}\n`);
    expect(await Promise.all(answers)).toMatchObject([{ error }, { error }]);
    await isServing(wire);
  });

  test("with millions of values are answered with an error", async () => {
    const wire = await connect();
    const answer = wire.next(({ id }) => id === 3);
    const filters = "{},".repeat(2_000_000);
    wire.write(
      `{"id":3,"jsonrpc":"2.0","method":"tools/call","params":{"name":"say","arguments":{"a":[${filters}1]}}}\n`,
    );
    expect(await answer).toMatchObject({ error: { message: expect.stringContaining("100,000 values") as string } });
    await isServing(wire);
  });

  test("are answered while hundreds of calls never end", async () => {
    const wire = await connect();
    const params = { name: "hang", arguments: { name: "one of many" } };
    for (let id = 100; id < 300; id += 1) wire.write(line({ id, method: "tools/call", params }));
    for (let requestId = 100; requestId < 300; requestId += 1) {
      wire.write(line({ method: "notifications/cancelled", params: { requestId } }));
    }
    await isServing(wire);
  });

  test.each<[string, { id: unknown; code: number; message: string }]>([
    [
      '{"jsonrpc":"2.0","id":7,"method":"tools/list","params":[]}',
      { id: 7, code: -32_600, message: "params: must be an object" },
    ],
    [
      '{"jsonrpc":"2.0","id":7,"method":"tools/list","params":null}',
      { id: 7, code: -32_600, message: "params: must be an object" },
    ],
    [
      '{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":null}}',
      { id: 7, code: -32_600, message: "params._meta: must be" },
    ],
    [
      '{"jsonrpc":"2.0","id":"a","method":"tools/list","params":{"_meta":{"progressToken":{}}}}',
      { id: "a", code: -32_600, message: "params._meta.progressToken: must be a string or an integer" },
    ],
    [
      '{"jsonrpc":"2.0","id":7.5,"method":"ping"}',
      { id: 7.5, code: -32_600, message: "id: must be a string or an integer" },
    ],
    [
      '{"jsonrpc":"2.0","id":{},"method":"ping"}',
      { id: null, code: -32_600, message: "id: must be a string or an integer" },
    ],
    ['{"id":7,"method":"ping"}', { id: 7, code: -32_600, message: 'jsonrpc: must be "2.0"' }],
    ['{"jsonrpc":"2.0","id":7}', { id: 7, code: -32_600, message: "method: must be a string" }],
    ['{"jsonrpc":"2.0","id":7,"method":"ping","extra":1}', { id: 7, code: -32_600, message: 'unknown field "extra"' }],
    [
      '{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"cursor":{}}}',
      { id: 7, code: -32_602, message: "params.cursor: must be" },
    ],
    ['[{"jsonrpc":"2.0","id":7,"method":"ping"}]', { id: null, code: -32_600, message: "batches are not supported" }],
    ["{bad json", { id: null, code: -32_700, message: "the line is not JSON" }],
    ["5", { id: null, code: -32_600, message: "the message is not an object" }],
  ])("that no handler accepts are answered with an error: %s", async (text, { id, code, message }) => {
    const wire = await connect();
    const answer = wire.next(({ error }) => error !== undefined);
    wire.write(`\r\n${text}\n`);
    expect(await answer).toEqual({
      jsonrpc: "2.0",
      id,
      error: { code, message: expect.stringContaining(message) as string },
    });
    await isServing(wire);
  });

  test("that are not a request, notification or response are dropped, and the session continues", async () => {
    const wire = await connect();
    const dropped = [
      '{"foo":1}',
      '{"jsonrpc":"2.0","method":5}',
      '{"jsonrpc":"2.0","method":"notifications/progress","params":[]}',
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}},"more":1}',
      '{"jsonrpc":"2.0","id":{},"result":1}',
      '{"id":1,"result":{}}',
      '{"jsonrpc":"2.0","id":99,"result":{},"error":{"code":1,"message":"both"}}',
    ];
    for (const text of dropped) wire.write(`${text}\n`);
    wire.write(line({ id: "last", method: "ping" }));
    expect(await wire.next(() => true)).toMatchObject({ id: "last", result: {} });
  });
});
