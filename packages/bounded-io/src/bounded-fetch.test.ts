import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { createGzip } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { boundedFetch, tooLargeResponse } from "./bounded-fetch.ts";

const maxBytes = 1_000_000;
const megabyte = Buffer.alloc(maxBytes, "x");

/** A site, and how its latest response ended: whether the client closed the connection. */
async function serve(handle: (response: ServerResponse) => void) {
  let closed: Promise<unknown> = Promise.resolve();
  const server = createServer((_, response) => {
    closed = once(response, "close");
    handle(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close().closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, closed: () => closed };
}

/** Sends forever, as fast as the client reads. */
function sendForever(response: ServerResponse, chunk: Buffer, headers: Record<string, string> = {}): void {
  response.writeHead(200, headers);
  const endless = Readable.from(
    (function* () {
      for (;;) yield chunk;
    })(),
  );
  const isZipped = headers["content-encoding"] === "gzip";
  (isZipped ? endless.pipe(createGzip()) : endless).pipe(response);
  response.on("close", () => endless.destroy());
}

test.each([
  ["an endless body", {}],
  ["a gzip bomb", { "content-encoding": "gzip" }],
  ["an endless event of a stream", { "content-type": "text/event-stream" }],
])("%s fails at the limit, and the connection is closed", async (_, headers) => {
  const site = await serve((response) => sendForever(response, megabyte, headers));
  const response = await boundedFetch({ maxBytes, perEvent: true })(site.url);
  const before = process.memoryUsage.rss();
  const error = await response.text().catch((reason: unknown) => reason);
  expect(tooLargeResponse(error)).toMatchObject({
    code: "too_large",
    message: "the response is larger than 1,000,000 bytes",
  });
  await site.closed();
  expect(process.memoryUsage.rss() - before).toBeLessThan(200_000_000);
});

test.each(["\n\n", "\r\n\r\n", "\r\r"])(
  "a stream of events that end in %j may be longer than the limit of one event",
  async (ending) => {
    const event = Buffer.from(`data: ${"x".repeat(100_000)}${ending}`);
    const site = await serve((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (let count = 0; count < 30; count += 1) response.write(event);
      response.end();
    });
    const { length } = event;
    expect(await (await boundedFetch({ maxBytes, perEvent: true })(site.url)).text()).toHaveLength(30 * length);
    const whole = await boundedFetch({ maxBytes })(site.url);
    await expect(whole.text()).rejects.toThrow("larger than");
  },
);

test("a body is read only as fast as its consumer reads", async () => {
  const site = await serve((response) => sendForever(response, megabyte));
  let chunks = 0;
  const waiting = Promise.withResolvers<void>();
  const ready = () => (++chunks < 3 ? undefined : waiting.promise);
  const response = await boundedFetch({ maxBytes: 1_000_000_000, ready })(site.url);
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  await reader.read();
  const third = reader.read().then(() => "read");
  expect(await Promise.race([third, new Promise((resolve) => setTimeout(resolve, 200, "waiting"))])).toBe("waiting");
  waiting.resolve();
  expect(await third).toBe("read");
  await reader.cancel();
});
