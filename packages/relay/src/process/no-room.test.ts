import path from "node:path";
import { describe, expect, test } from "vitest";
import { fileValues } from "../index.ts";
import { call, handleIn, says, wire } from "./wire.fixture.ts";

const numbers = "1,".repeat(512 * 1024);
const megabytes = '"a long line"\n'.repeat(150_000);
/** No folder can be made below a file. */
const nowhere = path.join(import.meta.filename, "nowhere");
const noValues = fileValues({ directory: nowhere });

describe("where no file can be written, a message that is too long for memory", () => {
  test("is boxed and opened all the same where values can be kept", async () => {
    const { client, server, errors } = wire({ folder: nowhere });
    client.write(call(1, "make"));
    await server.line(0);
    server.write(says(1, megabytes));
    const handle = handleIn(await client.json(0));
    client.write(call(2, "take", { handle, text: megabytes }));
    const { params } = (await server.json(1)) as { params: { arguments: Record<string, string> } };
    expect(Object.values(params.arguments).map((text) => text === megabytes)).toEqual([true, true]);
    expect(errors.map(String)).toEqual(
      Array(2).fill(expect.stringContaining("a long message stays in memory: ENOTDIR")),
    );
  });

  test("passes byte for byte where they cannot, and those behind it are as ever", async () => {
    const { client, server, errors, end } = wire({ folder: nowhere, values: noValues });
    const answer = `{"result" : {"content":[{"type":"text","text":${JSON.stringify(megabytes)}}]},"id":1}\n`;
    client.write(call(1, "make"));
    await server.line(0);
    server.write(answer);
    server.write(says(9, "short"));
    expect(`${await client.line(0)}\n` === answer).toBe(true);
    expect(await client.json(1)).toMatchObject(says(9, "short"));
    client.write(call(2, "take", { text: megabytes, handle: `relay://${"a".repeat(20)}` }));
    expect(await client.json(2)).toMatchObject({ id: 2, result: { isError: true } });
    client.write({ id: 3, method: "ping" });
    expect(await server.json(1)).toMatchObject({ id: 3, method: "ping" });
    expect(await end()).toEqual(["", ""]);
    expect(errors.map(String)).toContainEqual(expect.stringContaining("values cannot be kept in"));
  });

  test("is refused to whoever waits for it where memory has no room either", async () => {
    const { client, server, errors, end } = wire({ folder: nowhere });
    const tooLong = (before: string, behind: string) => [
      `{"jsonrpc":"2.0",${before}"`,
      ...Array<string>(65).fill("x".repeat(1024 * 1024)),
      `"${behind}}\n`,
    ];
    const error = { code: -32_603, message: expect.stringContaining("too long for the room") };
    client.write(call(1, "make"));
    await server.line(0);
    tooLong('"id":1,"result":{"content":[{"type":"text","text":', "}]}").forEach((piece) => server.write(piece));
    expect(await client.json(0)).toEqual({ jsonrpc: "2.0", id: 1, error });
    tooLong('"id":2.0,"method":"tools/call","params":{"name":"a","arguments":{"text":', "}}").forEach((piece) =>
      client.write(piece),
    );
    expect(await client.line(1)).toContain('"id":2.0');
    expect(await client.json(1)).toEqual({ jsonrpc: "2.0", id: 2, error });
    tooLong('"id":"s","method":"sampling/createMessage","params":{"text":', "}").forEach((piece) =>
      server.write(piece),
    );
    expect(await server.json(1)).toEqual({ jsonrpc: "2.0", id: "s", error });
    tooLong('"id":"t","result":{"text":', "}").forEach((piece) => client.write(piece));
    expect(await server.json(2)).toEqual({ jsonrpc: "2.0", id: "t", error });
    tooLong('"method":"notifications/message","params":{"data":', "}").forEach((piece) => server.write(piece));
    server.write(says(9, "short"));
    expect(await client.json(2)).toMatchObject(says(9, "short"));
    expect(await end()).toEqual(["", ""]);
    expect([client.lines.length, server.lines.length]).toEqual([3, 3]);
    expect(errors.map(String)).toEqual(
      Array(5).fill(expect.stringMatching(/a long message of \d{8} bytes is lost, .*: ENOTDIR/)),
    );
  });

  test("is refused also when it has few long texts, where its id is first or last", async () => {
    const { client, server, errors, end } = wire({ folder: nowhere });
    const say = (side: typeof client, before: string, behind: string) => {
      side.write(`${before}[`);
      for (let at = 0; at < 65; at += 1) side.write(numbers);
      side.write(`1]${behind}\n`);
    };
    const error = { code: -32_603, message: expect.stringContaining("too long for the room") };
    for (const id of [1, 2, 3]) client.write(call(id, "make"));
    await server.line(2);
    say(server, '{"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"id":3,"a":', "}}}");
    expect(await client.json(0)).toEqual({ jsonrpc: "2.0", id: 1, error });
    say(server, '{"result":{"structuredContent":{"id":3,"a":', '},"id":3},"jsonrpc":"2.0","id":2}');
    expect(await client.json(1)).toEqual({ jsonrpc: "2.0", id: 2, error });
    say(client, '{"method":"tools/call","params":{"name":"a","arguments":{"a":', '}},"jsonrpc":"2.0","id":4.0}');
    expect(await client.line(2)).toContain('"id":4.0');
    say(server, '{"jsonrpc":"2.0","id":"s","method":"sampling/createMessage","params":{"a":', "}}");
    expect(await server.json(3)).toEqual({ jsonrpc: "2.0", id: "s", error });
    // They are answered, and so the same ids mean nothing any more; the third one is still to come.
    for (const id of [1, 2, 3]) server.write(says(id, megabytes.slice(0, 20_000)));
    const handles = await Promise.all([3, 4, 5].map(async (at) => handleIn(await client.json(at))));
    expect(handles.map((handle) => handle === "none")).toEqual([true, true, false]);
    expect(errors.length).toBe(4);
    say(server, '{"result":{"a":', ',"b":2},"jsonrpc":"2.0"}');
    expect(await end()).toEqual(["", ""]);
    expect(errors.map(String)).toEqual([
      ...Array<unknown>(5).fill(expect.stringMatching(/a long message of \d{8} bytes is lost, .*: ENOTDIR/)),
      expect.stringContaining("nobody is told of a lost message"),
    ]);
  });
});
