import { expect, test } from "vitest";
import { createMessageReader, oversizedMessage, type OversizedMessage } from "./message-stream.ts";

/** What a reader of messages up to 5,000 bytes makes of a text in chunks of 1,000 bytes. */
function read(text: string) {
  const lines: string[] = [];
  const oversized: OversizedMessage[] = [];
  const take = createMessageReader(
    { line: (line) => lines.push(line.toString()), oversized: (message) => oversized.push(message) },
    5_000,
  );
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 1_000) take(bytes.subarray(at, at + 1_000));
  return { lines, oversized };
}

const short = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const long = (value: string) => [
  `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":${value}}`,
  `{"result":${value},"jsonrpc":"2.0","id":"c"}`,
  `{"jsonrpc":"2.0","method":"notifications/message","params":${value}}`,
  `[${value}]`,
];
const reported = (reason: string) => [
  { reason, id: 2, isRequest: true, isResponse: false, isNotification: false },
  { reason, id: "c", isRequest: false, isResponse: true, isNotification: false },
  { reason, isRequest: false, isResponse: false, isNotification: true },
  { reason, isRequest: false, isResponse: false, isNotification: false },
];

test("a message that is too large is reported with its id, and the messages around it are read", () => {
  const { lines, oversized } = read([short, ...long(`"${"x".repeat(5_000)}"`), short, ""].join("\n"));
  expect(lines).toEqual([short, short]);
  expect(oversized).toEqual(reported("larger than 5,000 bytes"));
});

test.each([
  ["nested more than 256 levels deep", `${"[".repeat(300_000)}${"]".repeat(300_000)}`],
  ["made of more than 1,000,000 values", `[${"{},".repeat(1_000_000)}0]`],
])("a parsed message that is %s is described with its id", (reason, value) => {
  const messages = [short, ...long(value)].map((text) => oversizedMessage(JSON.parse(text)));
  expect(messages).toEqual([undefined, ...reported(reason)]);
});
