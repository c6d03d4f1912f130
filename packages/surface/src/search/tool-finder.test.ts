import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { embedWords, startEndpoint, type FakeEndpoint } from "../../../meaning/src/embedding.fixture.ts";
import { createToolFinder, type Searchable, type ToolFinderOptions } from "./index.ts";

const tools: readonly Searchable[] = [
  { name: "umbrella_advice", pack: "weather", description: "Whether to take an umbrella." },
  { name: "send_message", pack: "chat", description: "Send a message to a channel." },
  { name: "play_song", pack: "music", description: "Play a song." },
];

/** Rain and umbrellas mean the same to it; no lexical search can know. */
const meaning = embedWords([["umbrella", "rain"], ["message"], ["song"]]);

const rainy = "is it going to rain";

function setUp(endpoint: FakeEndpoint, more: Partial<NonNullable<ToolFinderOptions["embeddings"]>> = {}) {
  const warnings: string[] = [];
  const finder = createToolFinder({
    embeddings: { url: endpoint.url, model: "small", ...more },
    onWarning: (warning) => warnings.push(warning),
  });
  finder.update(tools);
  const names = async (sentence: string, pack?: string) =>
    (await finder.find(sentence, { limit: 3, pack })).hits.map(({ at }) => tools[at]?.name);
  return { finder, warnings, names };
}

test("find ranks by meaning when no words match", async () => {
  await using endpoint = await startEndpoint(meaning);
  const { names, warnings } = setUp(endpoint, { key: "secret" });
  expect((await names(rainy))[0]).toBe("umbrella_advice");
  expect(endpoint.requests.map(({ path, model, input }) => [path, model, input.length])).toEqual([
    ["/v1/embeddings", "small", 3],
    ["/v1/embeddings", "small", 1],
  ]);
  expect(endpoint.requests[0]?.authorization).toBe("Bearer secret");
  expect(warnings).toEqual([]);
});

test("find puts a tool first that both words and meaning rank first", async () => {
  await using endpoint = await startEndpoint(meaning);
  const { finder, names } = setUp(endpoint);
  expect((await names("send a message"))[0]).toBe("send_message");
  expect(await finder.find("send a message", { limit: 3 })).toMatchObject({ topCount: 1, weak: false });
  expect(await names("send a message", "music")).toEqual(["play_song"]);
});

test("find embeds a tool once, and again only when its text changes", async () => {
  await using endpoint = await startEndpoint(meaning);
  const { finder, names } = setUp(endpoint);
  await Promise.all([names(rainy), names("song")]);
  finder.update([...tools.slice(1), { name: "stop_song", pack: "music", description: "Stop the song." }]);
  await finder.find("song", { limit: 1 });
  const embedded = endpoint.requests.flatMap(({ input }) => input).filter((text) => text.includes("\n"));
  expect(embedded).toHaveLength(4);
  expect(embedded.at(-1)).toBe("music\nstop song\nStop the song.");
});

const failures: readonly (readonly [what: string, answer: FakeEndpoint["answer"], reason: string])[] = [
  ["refuses", () => ({ status: 401, body: {} }), "it answered 401 Unauthorized"],
  ["answers something else", () => ({ body: { vectors: [] } }), "the response is not a list of embeddings"],
  ["answers more than the limit", () => ({ body: "x".repeat(800_000) }), "the response is larger than 705,686 bytes"],
  [
    "answers too many values",
    () => ({ body: Array(30_000).fill(0) }),
    "the response is made of more than 25,606 values",
  ],
  [
    "answers texts for numbers",
    () => ({ body: { data: [{ embedding: Array(25_000).fill("") }] } }),
    "the response is not a list of embeddings",
  ],
  [
    "answers too deep",
    () => ({ body: { data: [[[[[[[[[]]]]]]]]] } }),
    "the response is nested more than 8 levels deep",
  ],
  ["leaves texts out", () => ({ body: { data: [{ embedding: [1] }] } }), "it answered 1 embeddings for 3 texts"],
];

test.each(failures)("find uses only words and warns once when the endpoint %s", async (_, answer, reason) => {
  await using endpoint = await startEndpoint(answer);
  const { names, warnings } = setUp(endpoint);
  expect((await names("send a message"))[0]).toBe("send_message");
  expect((await names("play a song"))[0]).toBe("play_song");
  expect(warnings).toEqual([`tool search goes by words alone: ${endpoint.url}: ${reason}`]);
  expect(endpoint.requests).toHaveLength(1);
});

test("find uses only words when the endpoint cannot be reached or is too slow", async () => {
  const gone = await startEndpoint(meaning);
  await gone[Symbol.asyncDispose]();
  const { names, warnings } = setUp(gone);
  expect((await names("play a song"))[0]).toBe("play_song");
  expect(warnings).toEqual([expect.stringContaining("ECONNREFUSED")]);

  await using slow = await startEndpoint(async (texts) => setTimeout(2_000, meaning(texts)));
  const hurried = setUp(slow, { timeoutMs: 50 });
  expect((await hurried.names("play a song"))[0]).toBe("play_song");
  expect(hurried.warnings).toEqual([expect.stringContaining("timeout")]);
});

test("find waits 3 s for a slow endpoint, and then uses only words until it has answered", async () => {
  const answered = Promise.withResolvers<void>();
  await using endpoint = await startEndpoint(async (texts) => answered.promise.then(() => meaning(texts)));
  const { names, warnings } = setUp(endpoint);
  const start = performance.now();
  expect((await names("play a song"))[0]).toBe("play_song");
  const firstMs = performance.now() - start;
  expect(firstMs).toBeGreaterThan(2_500);
  expect((await names("send a message"))[0]).toBe("send_message");
  expect(performance.now() - start - firstMs).toBeLessThan(1_500);
  expect(warnings).toEqual([expect.stringContaining("no answer within 3 s")]);
  answered.resolve();
  await expect.poll(async () => endpoint.requests.length + (await names("play a song")).length).toBeGreaterThan(3);
});
