import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { MessagePipe } from "./message-pipe.ts";

describe("MessagePipe", () => {
  test("has written whatever was inserted when it is idle, at whatever moment that was", async () => {
    const written: string[] = [];
    const expected: string[] = [];
    for (let moments = 0; moments <= 40; moments += 1) {
      const output = new PassThrough();
      const lane = new MessagePipe({
        input: new PassThrough(),
        output,
        look: () => undefined,
        folder: () => "",
        onError: (error) => expect.fail(String(error)),
      });
      lane.insert(says("a"));
      for (let moment = 0; moment < moments; moment += 1) await Promise.resolve();
      lane.insert(says("b"));
      await lane.idle();
      written.push(`${moments}: ${String(output.read())}`);
      expected.push(`${moments}: ab`);
    }
    expect(written).toEqual(expected);
  });
});

async function* says(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}
