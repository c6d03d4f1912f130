import { expect, test } from "vitest";
import { embedWords, startEndpoint, type FakeEndpoint } from "../../../meaning/src/embedding.fixture.ts";
import { createToolFinder, type ToolFinderOptions } from "./tool-finder.ts";
import type { Searchable } from "./searchable.ts";

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

test("find compares each sentence of a request: each may ask for another tool", async () => {
  await using endpoint = await startEndpoint(meaning);
  const { names } = setUp(endpoint);
  const request = "Will it rain? I am going by bike.\n1. Tell Ben 2.5 hours.";
  expect((await names(request))[0]).toBe("umbrella_advice");
  expect(endpoint.requests.at(-1)?.input).toEqual([
    request,
    "Will it rain?",
    "I am going by bike.",
    "Tell Ben 2.5 hours.",
  ]);
  await names("One sentence.");
  expect(endpoint.requests.at(-1)?.input).toEqual(["One sentence."]);
  await names("Wait. ".repeat(20));
  expect(endpoint.requests.at(-1)?.input).toHaveLength(7);
});

test("find compares the name with the first sentence, the rest of the description, and the parameters", async () => {
  await using endpoint = await startEndpoint(meaning);
  const { finder } = setUp(endpoint);
  const inputSchema = {
    properties: { bikeRoute: { type: "string", description: "Where you ride." }, day: { enum: ["today", "tomorrow"] } },
  };
  const description = "Whether it is dry. Asks the station\nthat is near.";
  finder.update([{ name: "weather_for_ride", pack: "weather", description, inputSchema }, ...tools.slice(1)]);
  await finder.find(rainy, { limit: 1 });
  expect(endpoint.requests[0]?.input.slice(0, 4)).toEqual([
    "weather\nfor ride\nWhether it is dry.",
    "Asks the station\nthat is near.",
    "bike route, day\nWhere you ride.\ntoday\ntomorrow",
    "chat\nsend message\nSend a message to a channel.",
  ]);
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
