import { describe, expect, test } from "vitest";
import { createSearchIndex } from "./search-index.ts";
import type { Searchable } from "./searchable.ts";

const tools: readonly Searchable[] = [
  {
    name: "create_issue",
    pack: "github",
    description: "Create a new issue in a GitHub repository.",
    inputSchema: object({ owner: "account that owns the repository", title: "what it is about" }),
  },
  { name: "create_issue_comment", pack: "github", description: "Comment on an issue in a GitHub repository." },
  { name: "mergePullRequest", pack: "github", description: "Merge a pull request." },
  { name: "googlesheets_append", pack: "google_sheets", description: "Append rows." },
  { name: "send_message", pack: "slack", description: "Send a message to a channel." },
  { name: "send_mail", pack: "mail", description: "Send a message to an address.", keywords: ["newsletter"] },
  { name: "get_weather", pack: "weather", description: "Weather now.", inputSchema: object({ city: "which city" }) },
  { name: "convert", pack: "math", description: "Convert.", inputSchema: object({ unit: "Celsius or Fahrenheit" }) },
  { name: "flight_search", pack: "reisen", description: "搜索航班并比较机票价格。" },
  { name: "tenki", pack: "reisen", description: "東京などの都市の天気予報を調べます。" },
  { name: "news", pack: "news", description: "Headlines of today." },
];

function object(properties: Readonly<Record<string, string>>) {
  const described = Object.entries(properties).map(([name, description]) => [name, { type: "string", description }]);
  return { type: "object", properties: Object.fromEntries(described) as Record<string, unknown> };
}

function search(sentence: string, catalog = tools, options: { limit?: number; pack?: string } = {}) {
  const index = createSearchIndex();
  index.update(catalog);
  const { hits, ...rest } = index.rank(sentence, { limit: 10, ...options });
  return { ...rest, hits, names: hits.map(({ at }) => catalog[at]?.name) };
}

describe("rank finds", () => {
  test.each([
    ["by a word of the name", "merge", "mergePullRequest"],
    ["by a keyword", "newsletter", "send_mail"],
    ["by a parameter's name", "city", "get_weather"],
    ["by a parameter's description", "fahrenheit", "convert"],
    ["by the plural of a word", "issues", "create_issue"],
    ["by an abbreviation of two words", "merge my PR", "mergePullRequest"],
    ["by two words that are one in the name", "add to google sheets", "googlesheets_append"],
    ["by a word that is two in the pack's name", "googlesheets", "googlesheets_append"],
    ["by a synonym", "combine two branches", "mergePullRequest"],
    ["by a word with a letter left out", "wether", "get_weather"],
    ["by a word with two letters swapped", "mesasge to a channel", "send_message"],
    ["Chinese, which has no spaces", "我想比较机票", "flight_search"],
    ["Japanese, which has no spaces", "明日の天気", "tenki"],
    ["a word in capitals with accents", "WÉATHER", "get_weather"],
  ])("%s", (_, sentence, name) => {
    expect(search(sentence).names[0]).toBe(name);
  });
});

describe("rank puts first", () => {
  test("what is asked for, not what it is chosen by", () => {
    const catalog: readonly Searchable[] = [
      { name: "list_label", description: "List labels, ordered by the number of issues that have each label." },
      { name: "list_issues", description: "List issues in a repository.", inputSchema: object({ labels: "a filter" }) },
      ...["read", "update", "close", "lock", "move", "assign"].map((verb) => ({
        name: `${verb}_issue`,
        description: `${verb} an issue in a repository.`,
      })),
    ];
    expect(search("list issues by label", catalog).names[0]).toBe("list_issues");
    expect(search("list labels by label", catalog).names[0]).toBe("list_label");
  });

  test("the tool whose full name is in the query", () => {
    expect(search("create an issue").names[0]).toBe("create_issue");
    expect(search("create a comment on an issue").names[0]).toBe("create_issue_comment");
  });

  test("the tool of the pack in the query", () => {
    expect(search("send a message with slack").names[0]).toBe("send_message");
    expect(search("send a message by mail").names[0]).toBe("send_mail");
  });

  test("the tool for the question, not for a quoted value", () => {
    expect(search('create an issue "send the weather to a channel by mail"').names[0]).toBe("create_issue");
  });

  test("one tool for each of two steps", () => {
    expect(search("get the weather and send a message to a channel").names.slice(0, 2)).toEqual(
      expect.arrayContaining(["get_weather", "send_message"]),
    );
  });

  test("the tool with the words in its first sentence, not in a long text", () => {
    const told = "Returns the report. ".repeat(40);
    const catalog = [
      { name: "a", description: `Archive a report.\n\nArgs:\n${told}` },
      { name: "b", description: `Something else. ${told} Never archive it: archive with a.` },
    ];
    expect(search("archive the report", catalog).names[0]).toBe("a");
  });

  test("news for news, not tools about new things", () => {
    expect(search("news").names[0]).toBe("news");
  });
});

describe("rank answers", () => {
  test("exactly the requested number of hits, each tool once", () => {
    for (const sentence of ["merge", "qqqq", "", "the of and", "天"]) {
      expect(search(sentence, tools, { limit: 4 }).names).toHaveLength(4);
      expect(new Set(search(sentence, tools, { limit: 50 }).names).size).toBe(tools.length);
    }
  });

  test("the nearest name as a weak hit when nothing matches", () => {
    const { names, weak, hits } = search("tenkki2");
    expect(names[0]).toBe("tenki");
    expect({ weak, score: hits[0]?.score }).toEqual({ weak: true, score: 0 });
    expect(search("merge a pull request").weak).toBe(false);
  });

  test("the number of hits before the scores drop", () => {
    expect(search("merge a pull request").topCount).toBe(1);
    expect(search("send a message").topCount).toBe(2);
  });

  test("only the tools of one pack on request", () => {
    expect(search("send a message", tools, { pack: "mail" }).names).toEqual(["send_mail"]);
  });

  test("nothing for an empty catalog", () => {
    expect(search("anything", [])).toMatchObject({ names: [], weak: true, topCount: 0 });
  });
});

describe("update", () => {
  test("removes the words of removed tools", () => {
    const index = createSearchIndex();
    index.update(tools);
    const rest = tools.filter(({ name }) => name !== "get_weather");
    index.update(rest);
    expect(index.rank("Fahrenheit", { limit: 1 }).weak).toBe(false);
    expect(index.rank("city", { limit: 1 }).hits[0]?.score).toBe(0);
  });
});

test("finds a tool with an invalid schema", () => {
  const odd = [true, [], { properties: [] }, { properties: { a: null, b: { enum: [1, "x"], items: 3 } } }];
  const catalog = odd.map((schema, at) => ({ name: `odd_${at}`, description: "Odd.", inputSchema: schema as never }));
  expect(search("odd", catalog).names).toHaveLength(odd.length);
});

test("treats names such as constructor as ordinary words", () => {
  const words = ["constructor", "__proto__", "toString", "hasOwnProperty"];
  const catalog = words.map((name) => ({ name, pack: name, description: name }));
  for (const name of words) expect(search(name, catalog).names[0]).toBe(name);
});
