import { expect, onTestFinished, test, vi } from "vitest";
import { embedWords, startEndpoint, type Answer, type FakeEndpoint } from "./embedding.fixture.ts";
import { createTextComparer, type TextComparerOptions } from "./text-comparer.ts";

const texts = ["Whether to take an umbrella.", "Send a message to a channel.", "Play a song."];
const rainy = "is it going to rain";
const byWords = embedWords([["umbrella", "rain"], ["message"], ["song"]]);

function setUp(endpoint?: FakeEndpoint, more: TextComparerOptions = {}) {
  const warnings: string[] = [];
  const compare = createTextComparer({
    ...(endpoint && { endpoint: { url: endpoint.url, model: "small", key: "secret" } }),
    onWarning: (warning) => warnings.push(warning),
    ...more,
  });
  const nearest = async (sentence: string, among = texts) => {
    const similarities = await compare([sentence], among);
    return similarities && among[similarities.indexOf(Math.max(...similarities))];
  };
  return { compare, nearest, warnings };
}

test("compares by the table", async () => {
  const { nearest, warnings } = setUp();
  expect(await nearest(rainy)).toBe(texts[0]);
  expect(await nearest("post something in the group chat")).toBe(texts[1]);
  expect(await nearest("listen to music")).toBe(texts[2]);
  expect(warnings).toEqual([]);
});

test("a text is as similar as to the sentence that is most similar to it", async () => {
  const { compare } = setUp();
  const [rain = [], music = []] = await Promise.all([compare([rainy], texts), compare(["listen to music"], texts)]);
  const both = await compare([rainy, "listen to music"], texts);
  expect([...(both ?? [])]).toEqual([...rain].map((similarity, at) => Math.max(similarity, music[at] ?? 0)));
});

test("the parts of a text count alike, however long they are", async () => {
  const { compare } = setUp();
  const [rain = "", message = ""] = texts;
  const similarities = async (text: string | readonly string[]) => [
    ...((await compare([rainy], [text, rain, message])) ?? []),
  ];
  const [both = 0, alone = 0, other = 0] = await similarities([rain, message]);
  expect(both).toBeGreaterThan((alone + other) / 2);
  expect(both).toBeLessThan(alone);
  const [long] = await similarities([rain, Array(50).fill(message).join(" ")]);
  expect(long).toBeCloseTo(both, 5);
  expect((await similarities([rain]))[0]).toBe(alone);
});

test("asks the endpoint for each part of a text, and again only when a part changes", async () => {
  await using endpoint = await startEndpoint(byWords);
  const { compare } = setUp(endpoint);
  const [rain = "", message = "", song = ""] = texts;
  expect((await compare([rainy], [[rain, message], song]))?.[0]).toBeCloseTo(Math.SQRT1_2, 1);
  await compare([rainy], [[rain, message], song]);
  await compare([rainy], [[rain, song], song]);
  expect(endpoint.requests.map(({ input }) => input)).toEqual([
    [rain, message, song],
    [rainy],
    [rainy],
    [rain, song],
    [rainy],
  ]);
});

test("compares nothing without table and endpoint", async () => {
  expect(await setUp(undefined, { table: false }).compare([rainy], texts)).toBeUndefined();
});

test("asks the endpoint for each text once", async () => {
  await using endpoint = await startEndpoint(byWords);
  const { nearest, compare, warnings } = setUp(endpoint);
  expect(await Promise.all([nearest(rainy), nearest("song")])).toEqual([texts[0], texts[2]]);
  await compare(["song"], [...texts, "Stop the song."]);
  expect(endpoint.requests.flatMap(({ input }) => input).toSorted()).toEqual(
    [...texts, "Stop the song.", rainy, "song", "song"].toSorted(),
  );
  expect(endpoint.requests[0]).toMatchObject({
    path: "/v1/embeddings",
    model: "small",
    authorization: "Bearer secret",
  });
  expect(warnings).toEqual([]);
});

const failures: readonly (readonly [what: string, answer: Answer, reason: string])[] = [
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
  ["answers vectors of other lengths each time", growing(), "the vectors of texts have different lengths"],
];

/** Every answer has vectors that are longer than those before. */
function growing(): Answer {
  let length = 0;
  return (inputs) => {
    length += 1;
    return { body: { data: inputs.map((_, index) => ({ index, embedding: Array(length).fill(1) })) } };
  };
}

test.each(failures)("compares by the table, and warns once, when the endpoint %s", async (_, answer, reason) => {
  await using endpoint = await startEndpoint(answer);
  const { nearest, warnings } = setUp(endpoint);
  expect(await nearest(rainy)).toBe(texts[0]);
  const { length: requests } = endpoint.requests;
  expect(await nearest("listen to music")).toBe(texts[2]);
  expect(warnings).toEqual([`search does without the embedding endpoint: ${endpoint.url}: ${reason}`]);
  expect(endpoint.requests).toHaveLength(requests);
});

test("embeds the texts again when the endpoint's vectors have another length", async () => {
  await using endpoint = await startEndpoint(byWords);
  const { nearest, warnings } = setUp(endpoint);
  expect(await nearest(rainy)).toBe(texts[0]);
  endpoint.answer = embedWords([["umbrella", "rain"], ["message"], ["song"], ["more"]]);
  expect(await nearest("a song")).toBe(texts[2]);
  expect(endpoint.requests.map(({ input }) => input.length)).toEqual([3, 1, 1, 3]);
  expect(warnings).toEqual([]);
});

test("compares by the table when the endpoint cannot be reached or times out", async () => {
  const gone = await startEndpoint(byWords);
  await gone[Symbol.asyncDispose]();
  const unreachable = setUp(gone);
  expect(await unreachable.nearest(rainy)).toBe(texts[0]);
  expect(unreachable.warnings).toEqual([expect.stringContaining("ECONNREFUSED")]);

  const answered = Promise.withResolvers<void>();
  await using slow = await startEndpoint(async (inputs) => answered.promise.then(() => byWords(inputs)));
  const hurried = setUp(undefined, { endpoint: { url: slow.url, model: "small", timeoutMs: 50 } });
  expect(await hurried.nearest(rainy)).toBe(texts[0]);
  answered.resolve();
});

test("waits 3 s for a slow endpoint, and then does without until it has answered", async () => {
  const answered = Promise.withResolvers<void>();
  await using endpoint = await startEndpoint(async (inputs) => answered.promise.then(() => byWords(inputs)));
  const { nearest, warnings } = setUp(endpoint);
  expect(await nearest(rainy)).toBe(texts[0]);
  expect(await nearest("listen to music")).toBe(texts[2]);
  expect(warnings).toEqual([expect.stringContaining("no answer within 3 s")]);
  expect(endpoint.requests).toHaveLength(1);
  answered.resolve();
  await expect
    .poll(async () => {
      await nearest(rainy);
      return endpoint.requests.length;
    })
    .toBeGreaterThan(2);
});

/** A model whose vectors tell only whether a text is about music. */
function fakeModel(before: () => Promise<unknown> = async () => undefined) {
  const embedded: string[] = [];
  const embed = async (some: readonly string[]) => {
    await before();
    embedded.push(...some);
    return some.map((text) => Float32Array.from(/song|tune/.test(text) ? [1, 0] : [0, 1]));
  };
  return { embedded, load: () => ({ name: "fake", embed }) };
}

test("compares by a model, which embeds each text once", async () => {
  const { embedded, load } = fakeModel();
  const { nearest } = setUp(undefined, { model: load });
  expect([await nearest("a tune"), await nearest("another tune")]).toEqual([texts[2], texts[2]]);
  expect(embedded.toSorted()).toEqual(["a tune", "another tune", ...texts].toSorted());
});

test("compares by the table, and warns once, while a model cannot be loaded", async () => {
  const load = () => Promise.reject(new Error("it is not installed"));
  const { nearest, warnings } = setUp(undefined, { model: load });
  expect([await nearest(rainy), await nearest(rainy)]).toEqual([texts[0], texts[0]]);
  expect(warnings).toEqual([expect.stringContaining("search does without the model: it is not installed")]);
});

test("compares by the table, without a warning, until a model has embedded the texts", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { promise: ready, resolve } = Promise.withResolvers<void>();
  const { load } = fakeModel(() => ready);
  const { nearest, warnings } = setUp(undefined, { model: load });
  const first = nearest(rainy);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(await first).toBe(texts[0]);
  resolve();
  await vi.advanceTimersByTimeAsync(1);
  expect([await nearest("a tune"), warnings]).toEqual([texts[2], []]);
});
