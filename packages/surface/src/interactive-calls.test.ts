import { definePack, defineTool } from "@toolpacks/core";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { httpEndpoint, type Message } from "./http.fixture.ts";
import { createInteractiveCalls } from "./interactive-calls.ts";
import { createSurface } from "./surface.ts";

/** What the calls of `order` have done. */
const log: string[] = [];
afterEach(() => void log.splice(0));

const shop = definePack({
  name: "shop",
  description: "Asks before it orders.",
  budget: 200,
  tools: () => [
    defineTool({
      name: "order",
      description: "Order an item, after one or more questions.",
      mutates: true,
      input: z.object({ item: z.string(), questions: z.int().default(1) }),
      output: z.object({ answers: z.array(z.string()) }),
      handler: async ({ item, questions }, { elicit, signal }) => {
        log.push(`began ${item}`);
        signal.addEventListener("abort", () => log.push(`cancelled ${item}`));
        const answers: string[] = [];
        for (let asked = 1; asked <= questions; asked += 1) {
          const answer = await elicit?.({ message: `${asked}?`, requestedSchema: { type: "object", properties: {} } });
          answers.push(answer?.action ?? "cannot");
        }
        if (item === "ship") await new Promise((resolve) => signal.addEventListener("abort", resolve));
        log.push(`ended ${item}`);
        return { answers };
      },
    }),
  ],
});

const accept = { question: { action: "accept", content: {} } };
const unknown = { error: { code: -32_602, message: expect.stringContaining("no open question has this state") } };

async function openEndpoint() {
  const surface = await createSurface({ packs: [shop()], surface: "direct" });
  return httpEndpoint(surface, createInteractiveCalls());
}

function stateOf(response: Message): unknown {
  expect(response).toMatchObject({ result: { resultType: "input_required" } });
  return (response["result"] as Message)["requestState"];
}

describe("a call over HTTP that asks the user", () => {
  let call: Awaited<ReturnType<typeof openEndpoint>>;
  beforeEach(async () => {
    call = await openEndpoint();
  });
  const pen = { name: "order", arguments: { item: "pen", questions: 2 } };

  test("continues with each answer, although each request has a server of its own", async () => {
    const first = stateOf(await call(pen));
    const second = stateOf(await call({ ...pen, requestState: first, inputResponses: accept }));
    expect(second).not.toBe(first);
    // The order of keys does not matter.
    const same = { name: "order", arguments: { questions: 2, item: "pen" } };
    expect(
      await call({ ...same, requestState: second, inputResponses: { question: { action: "decline" } } }),
    ).toMatchObject({
      result: { structuredContent: { answers: ["accept", "decline"] } },
    });
    expect(log).toEqual(["began pen", "ended pen"]);
  });

  test.each([
    ["never existed", "00000000-0000-4000-8000-000000000000"],
    ["is the host's state of another question", "roots"],
    ["is empty", ""],
  ])("is not begun again by a requestState that %s", async (_, requestState) => {
    expect(await call({ ...pen, requestState, inputResponses: accept })).toMatchObject(unknown);
    expect(await call({ ...pen, requestState }, { capabilities: {} })).toMatchObject(unknown);
    expect(log).toEqual([]);
  });

  test("is continued by its own caller only, and others get the error of an unknown state", async () => {
    const requestState = stateOf(await call(pen, { sub: "alice" }));
    const answer = { ...pen, requestState, inputResponses: accept };
    const refusal = await call({ ...answer, requestState: "never existed" }, { sub: "alice" });
    expect(refusal).toMatchObject(unknown);
    for (const sub of ["mallory", undefined])
      expect(await call(answer, sub === undefined ? {} : { sub })).toEqual(refusal);
    expect(stateOf(await call(answer, { sub: "alice" }))).toBeDefined();
    expect(log).toEqual(["began pen"]);
  });

  test("is continued once by two requests with the same state", async () => {
    const one = { name: "order", arguments: { item: "pen" } };
    const answer = { ...one, requestState: stateOf(await call(one)), inputResponses: accept };
    const responses = await Promise.all([call(answer), call(answer)]);
    expect(responses.filter((response) => "result" in response)).toHaveLength(1);
    expect(responses).toContainEqual(expect.objectContaining(unknown));
    expect(log).toEqual(["began pen", "ended pen"]);
  });

  test("is continued only by a request that repeats the tool and the arguments", async () => {
    const requestState = stateOf(await call(pen));
    const other = { name: "order", arguments: { item: "car", questions: 2 }, requestState, inputResponses: accept };
    expect(await call(other)).toMatchObject({
      error: { code: -32_602, message: expect.stringContaining("another tool or with other arguments") },
    });
    expect(stateOf(await call({ ...pen, requestState, inputResponses: accept }))).toBeDefined();
    expect(log).toEqual(["began pen"]);
  });

  test("is cancelled by a client that cancels a later request", async () => {
    const ship = { name: "order", arguments: { item: "ship" } };
    const requestState = stateOf(await call(ship));
    const leave = new AbortController();
    const left = call({ ...ship, requestState, inputResponses: accept }, { signal: leave.signal });
    setTimeout(() => leave.abort(), 50);
    await left.catch(() => {});
    await expect.poll(() => log).toEqual(["began ship", "cancelled ship", "ended ship"]);
  });

  test("gets the answer cancel where its caller has 100 open questions, and other callers are not affected", async () => {
    const one = { name: "order", arguments: { item: "pen" } };
    for (let open = 0; open < 100; open += 1) stateOf(await call(one, { sub: "alice" }));
    expect(await call(one, { sub: "alice" })).toMatchObject({ result: { structuredContent: { answers: ["cancel"] } } });
    stateOf(await call(one, { sub: "bob" }));
  });
});

test("a question that expires cancels its call, and a late answer gets the error of an unknown state", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const call = await openEndpoint();
    const pen = { name: "order", arguments: { item: "pen" } };
    const requestState = stateOf(await call(pen));
    vi.advanceTimersByTime(600_001);
    expect(await call({ ...pen, requestState, inputResponses: accept })).toMatchObject(unknown);
    expect(log).toEqual(["began pen", "cancelled pen", "ended pen"]);
  } finally {
    vi.useRealTimers();
  }
});

test("an answer continues a call only with the rights with which it began", async () => {
  const calls = createInteractiveCalls();
  const endpointWith = async (readOnly: boolean) =>
    httpEndpoint(
      await createSurface({ packs: [shop()], surface: "direct", rights: { grants: [{ readOnly }] } }),
      calls,
    );
  const pen = { name: "order", arguments: { item: "pen" } };
  const [before, narrowed] = [await endpointWith(false), await endpointWith(true)];
  const state = stateOf(await before(pen));
  expect(await narrowed({ ...pen, requestState: state, inputResponses: accept })).toMatchObject({
    error: { code: -32_602 },
  });
  expect(log).toEqual(["began pen"]);
});

test("the calls of an object that is closed are cancelled", async () => {
  const calls = createInteractiveCalls();
  const call = httpEndpoint(await createSurface({ packs: [shop()], surface: "direct" }), calls);
  stateOf(await call({ name: "order", arguments: { item: "pen" } }));
  calls.close();
  await expect.poll(() => log).toEqual(["began pen", "cancelled pen", "ended pen"]);
});
