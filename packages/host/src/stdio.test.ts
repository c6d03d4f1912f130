import { setTimeout as wait } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { closeAll, flooded, floodSteps, line, modern, started, stopped, Wire, type Message } from "./wire.fixture.ts";

afterEach(closeAll);

describe("calls", () => {
  const connect = () => new Wire().connect();

  test.each<[string, Message | undefined, Message]>([
    ["say", { text: "hello\u2028 wörld" }, { structuredContent: { text: "hello\u2028 wörld" } }],
    ["say", { text: "" }, { isError: true }],
    ["say", { text: "bug" }, { isError: true }],
    ["say", { text: 5 }, { isError: true }],
    ["say", undefined, { isError: true }],
    ["draw", {}, { content: [{ type: "image", data: "aGk=", mimeType: "image/png" }] }],
    ["nothing", {}, { isError: true }],
  ])("of %s %j are answered", async (name, args, result) => {
    const wire = await (await connect()).initialize();
    expect(await wire.call(name, args)).toMatchObject({ result });
  });

  test("with wrong parameters are answered with a protocol error", async () => {
    const wire = await (await connect()).initialize();
    const wrong = [{ params: { name: 5 } }, { params: { name: "say", arguments: [] } }, { params: undefined }];
    for (const [id, request] of wrong.entries()) {
      expect(await wire.ask({ id, method: "tools/call", ...request })).toMatchObject({ error: { code: -32_602 } });
    }
    expect(await wire.call("say", { text: "still here" })).toHaveProperty("result.structuredContent.text");
  });

  test("report progress under the caller's token, before their answer", async () => {
    const wire = await (await connect()).initialize();
    const answer = wire.call("count", {}, { id: "c", meta: { progressToken: "t" } });
    for (const progress of [1, 2, 3]) {
      const { params } = await wire.next(({ method }) => method === "notifications/progress");
      expect(params).toEqual({ progressToken: "t", progress, total: 3, message: `at ${progress}` });
    }
    expect(await answer).toMatchObject({ result: { structuredContent: { counted: 3 } } });
  });

  test("keep only the newest progress while the client does not read", async () => {
    const wire = await (await connect()).initialize();
    const floods = flooded.length;
    wire.pause();
    const answer = wire.call("flood", {}, { meta: { progressToken: "t" } });
    await expect.poll(() => flooded.length, { timeout: 10_000 }).toBe(floods + 1);
    expect(wire.unreadBytes).toBeLessThan(500_000);
    wire.resume();
    const last = ({ params }: Message) => (params as { progress?: number } | undefined)?.progress === floodSteps;
    expect(await wire.next(last)).toMatchObject({ method: "notifications/progress" });
    expect(await answer).toMatchObject({ result: { structuredContent: { reported: floodSteps } } });
  });

  test("ask the client's user", async () => {
    const wire = await (await connect()).initialize();
    const answer = wire.call("ask", {});
    const { id, params } = await wire.next(({ method }) => method === "elicitation/create");
    expect(params).toMatchObject({ message: "Who?" });
    wire.write(line({ id, result: { action: "decline" } }));
    expect(await answer).toMatchObject({ result: { structuredContent: { action: "decline" } } });
  });

  test("that are cancelled stop, and are not answered", async () => {
    const wire = await (await connect()).initialize();
    wire.write(line({ id: 1, method: "tools/call", params: { name: "hang", arguments: { name: "one" } } }));
    await expect.poll(() => started).toContain("one");
    wire.write(line({ method: "notifications/cancelled", params: { requestId: 1 } }));
    await expect.poll(() => stopped).toContain("one");
    // The next one may have the same id, and its answer is the first with it.
    expect(await wire.call("say", { text: "next" })).toMatchObject({
      result: { structuredContent: { text: "next" } },
    });
  });

  test("stop when the client ends its input", async () => {
    const wire = await (await connect()).initialize();
    wire.write(line({ id: 1, method: "tools/call", params: { name: "hang", arguments: { name: "two" } } }));
    await expect.poll(() => started).toContain("two");
    wire.end();
    await expect.poll(() => stopped).toContain("two");
  });

  test("end with the host when the client closes its input or its output", async () => {
    const isEnded = async (wire: Wire) => Promise.race([wire.ended.then(() => true), wait(10, false)]);
    for (const close of [(wire: Wire) => wire.end(), (wire: Wire) => wire.breakOutput()]) {
      const wire = await (await connect()).initialize();
      expect(await isEnded(wire)).toBe(false);
      close(wire);
      await expect.poll(() => isEnded(wire)).toBe(true);
    }
  });

  test("are not run or answered after the host is closed", async () => {
    const wire = await (await connect()).initialize();
    await wire.close();
    wire.write(line({ id: 1, method: "tools/call", params: { name: "hang", arguments: { name: "three" } } }));
    await new Promise((resolve) => setImmediate(resolve));
    expect(started).not.toContain("three");
  });

  test("are read from chunks, several at once, at any length", async () => {
    const wire = await (await connect()).initialize();
    const texts = ["a", "é".repeat(10), "long ".repeat(40_000), "b"];
    const lines = texts.map((text, id) =>
      line({ id, method: "tools/call", params: { name: "say", arguments: { text } } }),
    );
    const bytes = Buffer.from(lines.join(""));
    const answers = texts.map((_, id) => wire.next((message) => message["id"] === id));
    // Cut within a character, and at many other places.
    for (let at = 0; at < bytes.length; at += 997) wire.write(bytes.subarray(at, at + 997));
    for (const [id, answer] of answers.entries()) {
      expect(await answer).toMatchObject({ result: { structuredContent: { text: texts[id] } } });
    }
  });

  test("are answered before the client has initialized", async () => {
    const wire = await connect();
    const early = wire.call("say", { text: '"notifications/initialized"' });
    await wire.initialize();
    expect(await early).toHaveProperty("result");
    expect(await wire.ask({ id: 2, method: "tools/list" })).toHaveProperty("result.tools.length", 6);
  });
});

describe("calls of a client of 2026", () => {
  const connect = async () => (await new Wire().connect()).discover();

  test("are answered, with progress before the answer", async () => {
    const wire = await connect();
    expect(await wire.call("say", { text: "hello" })).toMatchObject({
      result: { resultType: "complete", structuredContent: { text: "hello" } },
    });
    const answer = wire.call("count", {}, { meta: { progressToken: "t" } });
    for (const progress of [1, 2, 3]) {
      const { params } = await wire.next(({ method }) => method === "notifications/progress");
      expect(params).toMatchObject({ progressToken: "t", progress });
    }
    expect(await answer).toMatchObject({ result: { structuredContent: { counted: 3 } } });
  });

  test("ask the client's user with an input-required result, and continue with the client's response", async () => {
    const wire = await connect();
    const asked = await wire.call("ask", {}, { id: "a" });
    expect(asked).toMatchObject({ result: { resultType: "input_required", inputRequests: { question: {} } } });
    const { requestState, inputRequests } = asked["result"] as Message;
    expect(inputRequests).toMatchObject({ question: { method: "elicitation/create", params: { message: "Who?" } } });
    const inputResponses = { question: { action: "accept", content: { name: "Ada" } } };
    const params = { name: "ask", arguments: {}, _meta: modern, requestState, inputResponses };
    expect(await wire.ask({ id: "b", method: "tools/call", params })).toMatchObject({
      result: { structuredContent: { action: "accept" } },
    });
  });

  test("that are cancelled stop, and are not answered", async () => {
    const wire = await connect();
    const params = { name: "hang", arguments: { name: "modern" }, _meta: modern };
    wire.write(line({ id: 1, method: "tools/call", params }));
    await expect.poll(() => started).toContain("modern");
    const reason = "tools/call took too long";
    wire.write(line({ method: "notifications/cancelled", params: { requestId: 1, reason, _meta: modern } }));
    await expect.poll(() => stopped).toContain("modern");
    expect(await wire.call("say", { text: "next" })).toMatchObject({
      result: { structuredContent: { text: "next" } },
    });
  });
});
