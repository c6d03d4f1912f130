import { describe, expect, test } from "vitest";
import { peekAnswer, peekCall } from "./peek.ts";

const bytes = (text: string) => Buffer.from(text);
const call = (args: string) => `"method":"tools/call","params":{"name":"fs.read-it","arguments":${args}}`;

describe("peekCall", () => {
  test("tells a call's id and tool as the SDKs write them, and others", () => {
    const peeked = { id: 17, tool: "fs.read-it" };
    expect(peekCall(bytes(`{${call('{"a":"→"}')},"jsonrpc":"2.0","id":17}\n`))).toEqual(peeked);
    expect(peekCall(bytes(`{"jsonrpc":"2.0","id":17,${call("{}")}}\r\n`))).toEqual(peeked);
  });

  test.each([
    ["a handle", `{${call('{"a":"relay://x"}')},"jsonrpc":"2.0","id":1}\n`],
    ["an escape, which may be one", `{${call(String.raw`{"a":"relay:\u002f/x"}`)},"jsonrpc":"2.0","id":1}\n`],
    ["an id that is no small number", `{${call("{}")},"jsonrpc":"2.0","id":"1"}\n`],
    ["an id elsewhere", `{${call("{}")},"id":1,"jsonrpc":"2.0"}\n`],
    ["an id of something inside alone", `{${call('{"a":1,"id":1}')}}\n`],
    ["spaces", `{ ${call("{}")},"jsonrpc":"2.0","id":1}\n`],
    ["a name beyond ASCII", `{"method":"tools/call","params":{"name":"läs"},"jsonrpc":"2.0","id":1}\n`],
    ["another method", '{"method":"ping","params":{"name":"tools/call"},"jsonrpc":"2.0","id":1}\n'],
    ["length", `{${call(`{"a":"${"x".repeat(5_000)}"}`)},"jsonrpc":"2.0","id":1}\n`],
  ])("leaves one with %s to be read", (_, line) => {
    expect(peekCall(bytes(line))).toBeUndefined();
  });
});

describe("peekAnswer", () => {
  test("tells the id of a result as the SDKs write it, and others", () => {
    expect(peekAnswer(bytes('{"result":{"content":[{"id":3}]},"jsonrpc":"2.0","id":17}\n'))).toBe(17);
    expect(peekAnswer(bytes('{"jsonrpc":"2.0","id":17,"result":{"id":3}}\n'))).toBe(17);
  });

  test.each([
    ["a request of the server's", '{"method":"ping","jsonrpc":"2.0","id":17}\n'],
    ["an error", '{"jsonrpc":"2.0","id":17,"error":{"code":1,"message":""}}\n'],
    ["an id elsewhere", '{"result":{"a":1,"id":2},"id":17,"jsonrpc":"2.0"}\n'],
    ["an id that ends an inner object", '{"result":{"a":1,"id":2}}\n'],
    ["an id in a text", '{"result":{"a":",\\"id\\":2}"}}\n'],
  ])("leaves %s to be read", (_, line) => {
    expect(peekAnswer(bytes(line))).toBeUndefined();
  });
});
