import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { postgres } from "@toolpacks/store-postgres";
import { databaseBehindProxy, type ProxiedDatabase } from "@toolpacks/store-postgres/fixture";
import { valueKind, valuePartKind } from "@toolpacks/store";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { callOver, type Message } from "./ask-over-http.fixture.ts";
import { startChildReplica } from "./child-replica.fixture.ts";
import { questionKind } from "./replica-kinds.ts";
import { startReplica } from "./replica.fixture.ts";

let server: ProxiedDatabase;
beforeAll(async () => {
  server = await databaseBehindProxy();
  return () => server.remove();
});

let folder: string;
let file: string;
const closers: (() => Promise<unknown>)[] = [];
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "replicas-"));
  file = path.join(folder, "log");
});
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
  rmSync(folder, { recursive: true, force: true });
});

async function replicasOf(count: number, store = server.address) {
  const replicas = await Promise.all(Array.from({ length: count }, () => startReplica(store, file)));
  closers.push(...replicas.map((one) => one.close));
  return replicas.map(({ url }) => url) as [string, string, string];
}

const lines = () => (existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : []);
const order = (args: Message) => ({ name: "order", arguments: args });
const accept = { question: { action: "accept", content: { size: "s" } } };
const unknown = { error: { code: -32_602, message: expect.stringContaining("no open question has this state") } };
const lost = {
  result: {
    isError: true,
    content: [{ text: expect.stringMatching(/order: the server process .* has ended.*may have had effects/) }],
  },
};

function stateOf(response: Message): unknown {
  expect(response).toMatchObject({ result: { resultType: "input_required" } });
  return (response["result"] as Message)["requestState"];
}

describe("a question of a call on one replica", () => {
  test("is answered on other replicas, round after round, and the call runs once", async () => {
    const [first, second, third] = await replicasOf(3);
    const call = order({ item: "pen", questions: 3 });
    let requestState = stateOf(await callOver(first, call));
    requestState = stateOf(await callOver(second, { ...call, requestState, inputResponses: accept }));
    requestState = stateOf(await callOver(first, { ...call, requestState, inputResponses: accept }));
    const began = performance.now();
    expect(await callOver(third, { ...call, requestState, inputResponses: accept })).toMatchObject({
      result: { structuredContent: { answers: [1, 2, 3].map(() => 'accept {"size":"s"}') } },
    });
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(lines()).toEqual(["began pen", "answered pen"]);
    await expect.poll(remaining).toEqual([0, 0, 0]);
  });

  test("is answered once when several replicas get an answer at the same time", async () => {
    const urls = await replicasOf(3);
    for (let round = 0; round < 5; round += 1) {
      const call = order({ item: `pen ${round}` });
      const requestState = stateOf(await callOver(urls[0], call));
      const answer = { ...call, requestState, inputResponses: accept };
      const responses = await Promise.all([...urls, ...urls].map((url) => callOver(url, answer)));
      expect(responses.filter((one) => "result" in one)).toHaveLength(1);
      for (const one of responses) if (!("result" in one)) expect(one).toMatchObject(unknown);
    }
    expect(lines()).toHaveLength(10);
  });

  test("is refused to other callers and other calls, with the texts of one process", async () => {
    const [first, second] = await replicasOf(2);
    const call = order({ item: "pen" });
    const requestState = stateOf(await callOver(first, call, { sub: "alice" }));
    const answer = { ...call, requestState, inputResponses: accept };
    const refusal = await callOver(second, { ...answer, requestState: crypto.randomUUID() }, { sub: "alice" });
    expect(refusal).toMatchObject(unknown);
    expect(await callOver(second, { ...answer, requestState: "\u0000" }, { sub: "alice" })).toEqual(refusal);
    expect(await callOver(second, answer, { sub: "mallory" })).toEqual(refusal);
    expect(await callOver(second, answer)).toEqual(refusal);
    expect(await callOver(second, { ...answer, ...order({ item: "car" }) }, { sub: "alice" })).toMatchObject({
      error: { message: expect.stringContaining("another tool or with other arguments") },
    });
    expect(await callOver(second, answer, { sub: "alice" })).toHaveProperty("result.structuredContent");
    expect(await callOver(second, answer, { sub: "alice" })).toEqual(refusal);
    expect(lines()).toEqual(["began pen", "answered pen"]);
  });

  test("passes on a long result whole, and leaves nothing of it", async () => {
    const [first, second] = await replicasOf(2);
    const call = order({ item: "pen", characters: 1_500_000 });
    const requestState = stateOf(await callOver(first, call));
    const { result } = (await callOver(second, { ...call, requestState, inputResponses: accept })) as {
      result: { structuredContent: { receipt: string } };
    };
    expect(result.structuredContent.receipt).toBe("€".repeat(1_500_000));
    await expect.poll(remaining).toEqual([0, 0, 0]);
  });

  test("cancels its call when the client of the answer leaves", async () => {
    const [first, second] = await replicasOf(2);
    const call = order({ item: "ship", waits: true });
    const requestState = stateOf(await callOver(first, call));
    const leave = new AbortController();
    const left = callOver(second, { ...call, requestState, inputResponses: accept }, { signal: leave.signal });
    await expect.poll(lines).toContain("answered ship");
    leave.abort();
    await expect(left).rejects.toThrow();
    await expect.poll(lines).toContain("cancelled ship");
    await expect.poll(remaining).toEqual([0, 0, 0]);
  });

  test("fails within seconds when the process of its call was killed, before or after it got the answer", async () => {
    const [second] = await replicasOf(1);
    const first = await startChildReplica(server.address, file);
    const [pen, ship] = [order({ item: "pen" }), order({ item: "ship", waits: true })];
    const [penState, shipState] = [stateOf(await callOver(first.url, pen)), stateOf(await callOver(first.url, ship))];
    const sailing = callOver(second, { ...ship, requestState: shipState, inputResponses: accept });
    await expect.poll(lines).toContain("answered ship");
    await first.kill();
    const began = performance.now();
    const penAnswer = { ...pen, requestState: penState, inputResponses: accept };
    expect(await Promise.all([sailing, callOver(second, penAnswer)])).toMatchObject([lost, lost]);
    expect(performance.now() - began).toBeLessThan(15_000);
    expect(await callOver(second, penAnswer)).toMatchObject(unknown);
    expect(lines()).toEqual(["began pen", "began ship", "answered ship"]);
  });

  test("fails at once when the process of its call has ended in order", async () => {
    const [second] = await replicasOf(1);
    const first = await startReplica(server.address, file);
    const call = order({ item: "pen" });
    const requestState = stateOf(await callOver(first.url, call));
    await first.close();
    expect(lines()).toEqual(["began pen", "cancelled pen", "answered pen"]);
    const began = performance.now();
    expect(await callOver(second, { ...call, requestState, inputResponses: accept })).toMatchObject(lost);
    expect(performance.now() - began).toBeLessThan(2_000);
  });

  test("is answered although the database is restarted between the answer and the outcome", async () => {
    const [first, second] = await replicasOf(2);
    const call = order({ item: "pen", questions: 2 });
    const requestState = stateOf(await callOver(first, call));
    await server.stop();
    const answer = callOver(second, { ...call, requestState, inputResponses: accept });
    await wait(300);
    await server.start();
    const next = stateOf(await answer);
    expect(await callOver(second, { ...call, requestState: next, inputResponses: accept })).toHaveProperty(
      "result.structuredContent",
    );
    expect(lines()).toEqual(["began pen", "answered pen"]);
  });

  test("is answered on its own replica without a wait, and its record is removed", async () => {
    const [first] = await replicasOf(1);
    const call = order({ item: "pen" });
    const requestState = stateOf(await callOver(first, call));
    expect((await remaining())[0]).toBe(1);
    expect(await callOver(first, { ...call, requestState, inputResponses: accept })).toHaveProperty(
      "result.structuredContent",
    );
    await expect.poll(remaining).toEqual([0, 0, 0]);
  });
});

test("on a store of one server nothing is written for a question", async () => {
  const store = path.join(folder, "store.db");
  const [only] = await replicasOf(1, store);
  const call = order({ item: "pen" });
  const requestState = stateOf(await callOver(only, call));
  expect(await callOver(only, { ...call, requestState, inputResponses: accept })).toHaveProperty(
    "result.structuredContent",
  );
  expect(existsSync(store)).toBe(false);
});

test("the records of replicas are not among those of the store", async () => {
  const [first] = await replicasOf(1);
  stateOf(await callOver(first, order({ item: "pen" })));
  const store = postgres(server.address);
  expect(await store.workspaces()).toEqual([]);
  expect(await Array.fromAsync(store.export())).toEqual([{ records: 0 }]);
  await store.end();
  expect((await remaining())[0]).toBe(1);
});

/** Numbers of questions, values and parts of values. */
async function remaining(): Promise<readonly number[]> {
  const store = postgres(server.address, { schema: "toolpacks_replicas" });
  const totals = [];
  for (const kind of [questionKind, valueKind, valuePartKind])
    totals.push((await store.query(kind, { limit: 0 })).total);
  await store.end();
  return totals;
}
