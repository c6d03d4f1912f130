import { setImmediate } from "node:timers/promises";
import { afterEach, expect, test, vi } from "vitest";
import { closeAll, Wire, type Message } from "./wire.fixture.ts";

afterEach(async () => {
  vi.useRealTimers();
  await closeAll();
});

/** The response to a call that waits for its timeout. */
async function afterTimeout(answer: Promise<Message>): Promise<Message> {
  for (;;) {
    const first = await Promise.race([answer, setImmediate()]);
    if (first !== undefined) return first;
    vi.advanceTimersByTime(100);
  }
}

test("a call fails if the roots are not in use in time", async () => {
  const named = Promise.withResolvers<void>();
  const wire = await new Wire().connect(() => {
    named.resolve();
    return new Promise(() => {});
  });
  await wire.initialize();
  const { id } = await wire.next(({ method }) => method === "roots/list");
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const unused = "unavailable: the client's roots (roots/list) are not in use after 10 s";
  expect(JSON.stringify(await afterTimeout(wire.call("say", { text: "a" })))).toContain(unused);
  wire.write(`${JSON.stringify({ jsonrpc: "2.0", id, result: { roots: [] } })}\n`);
  await named.promise;
  expect(JSON.stringify(await afterTimeout(wire.call("say", { text: "b" })))).toContain(unused);

  // The client answers, and changes its roots while the call waits.
  wire.answer("roots/list", { roots: [] });
  const during = wire.call("say", { text: "c" });
  for (let changes = 0; changes < 3; changes += 1) {
    wire.write('{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}\n');
    await setImmediate();
  }
  expect(JSON.stringify(await afterTimeout(during))).toContain(unused);
});
