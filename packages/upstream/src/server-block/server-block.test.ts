import { mkdtempSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { checkBlock } from "./server-block.ts";

const environment = { TOKEN: "t0ken" };
const read = (block: unknown, here = "/project") => checkBlock(block, { here, environment });
const url = "https://docs.example.com/mcp";

const asClientsWriteThem: readonly (readonly [client: string, block: object, options: object])[] = [
  ["Windsurf", { serverUrl: url, disabledTools: ["pay"] }, { url, tools: { pay: { hide: true } } }],
  [
    "Cursor",
    { url, auth: { CLIENT_ID: "id", CLIENT_SECRET: "${env:TOKEN}", scopes: ["a", "b"] } },
    { url, auth: { oauth: { clientId: "id", clientSecret: "t0ken", scope: "a b" } } },
  ],
  [
    "VS Code",
    { type: "stdio", command: "x", env: { PORT: 3000, ON: true, GONE: null }, dev: { watch: "src" } },
    { command: "x", args: [], env: { PORT: "3000", ON: "true" } },
  ],
  [
    "Claude Code",
    { type: "streamable-http", url, headers: { "X-Version": 2 }, oauth: { clientId: "id", callbackPort: 8080 } },
    { url, headers: { "X-Version": "2" }, auth: { oauth: { clientId: "id", callbackPort: 8080 } } },
  ],
  [
    "Claude Code's older transport",
    { type: "sse", url, timeout: 90_000 },
    { url, transport: "sse", timeoutSeconds: 90 },
  ],
  ["Copilot", { type: "local", command: "x", args: [1], tools: ["*"] }, { command: "x", args: ["1"] }],
  ["Copilot with a choice", { type: "http", url, tools: ["a", "b"] }, { url, onlyTools: ["a", "b"] }],
  [
    "Gemini CLI",
    { httpUrl: url, includeTools: ["a", "b"], excludeTools: ["b"], trust: true, description: "Docs." },
    { url, onlyTools: ["a", "b"], tools: { b: { hide: true } } },
  ],
  [
    "Gemini CLI of a variable",
    { command: "x", env: { A: "$TOKEN", B: "$NONE" } },
    { command: "x", env: { A: "t0ken", B: "$NONE" } },
  ],
  ["Cline", { command: "x", timeout: 60, transportType: "stdio" }, { command: "x", timeoutSeconds: 60 }],
  [
    "an author of ours",
    { url, transport: "streamable-http", changes: "tell" },
    { url, transport: "http", changes: "tell" },
  ],
  [
    "one with paths",
    { command: "./run", cwd: "sub", env: { DATA: "${userHome}/data" } },
    // The tests of other files change the home folder, so it is read when it is compared.
    {
      command: "./run",
      cwd: path.resolve("/project/sub"),
      get env() {
        return { DATA: `${homedir()}/data` };
      },
    },
  ],
  ["a form with empty fields", { command: "x", url: "", headers: null }, { command: "x" }],
  [
    "one at home",
    { command: "x", cwd: "~/src" },
    {
      command: "x",
      get cwd() {
        return path.join(homedir(), "src");
      },
    },
  ],
];

test.each(asClientsWriteThem)("readBlock takes a block of %s", (_, block, options) => {
  const found = read(block);
  expect(found.options).toMatchObject(options);
  expect(found.warnings).toEqual([]);
});

test("readBlock adds the variables of a file, and the block's own take precedence", () => {
  const here = mkdtempSync(path.join(tmpdir(), "toolpacks-"));
  writeFileSync(path.join(here, "server.env"), "A=of the file\nB='quoted'\n");
  const { options } = read({ command: "x", envFile: "server.env", env: { A: "of the block" } }, here);
  expect(options).toMatchObject({ env: { A: "of the block", B: "quoted" } });
});

test.each([
  ["text", "expected an object"],
  [{}, "it has neither command nor url"],
  [{ command: "x", url }, "command and url: expected one of them"],
  [{ command: "x", serverUrl: url }, "command and serverUrl: expected one of them"],
  [{ url, httpUrl: `${url}2` }, "url and httpUrl: expected one address"],
  [{ command: 7 }, "command: expected string"],
  [{ url: "ftp://x" }, "url: Invalid URL"],
  [{ url, type: "ws" }, "type: expected stdio, http or sse, received ws"],
  [{ command: "x", changes: "yes" }, "changes: expected"],
  [{ command: "x", concurrency: 0 }, "concurrency: expected at least 1"],
  [{ command: "x", undo: { make: "remove {a: 1}" } }, "undo.make: expected a tool and its arguments as JSON"],
  [{ command: "x", tools: { pay: { hidden: true } } }, "tools.pay.hidden: unknown field"],
  [{ command: "x", envFile: "none.env" }, /^envFile: .*none\.env cannot be read/],
  [{ url, headersHelper: "/bin/token" }, "headersHelper: only its client can run it"],
  [{ url, authProviderType: "google_credentials" }, "authProviderType: only its client supports google_credentials"],
  [{ command: "${workspaceFolder}/run" }, "only an editor can expand ${workspaceFolder}"],
  [{ command: "x", env: { A: "${file:/etc/key}" } }, "only an editor can expand ${file:/etc/key}"],
  [{ command: "x", args: ["${NONE}"] }, "the environment variable NONE is not set"],
])("readBlock rejects %j with the reason", (block, why) => {
  expect(() => read(block)).toThrow(why);
});

test.each([
  ["change", "changes"],
  ["Changes", "changes"],
  ["onlyTool", "onlyTools"],
  ["timeoutSecond", "timeoutSeconds"],
  ["http_headers", "headers"],
])("readBlock warns of %s, which looks like a misspelt field", (field, meant) => {
  expect(read({ command: "x", [field]: true }).warnings).toEqual([
    `unknown field ${JSON.stringify(field)} (did you mean ${JSON.stringify(meant)}?)`,
  ]);
});

test("readBlock gives no warning about fields of other clients", () => {
  const theirs = { alwaysAllow: [], autoApprove: [], trust: true, gallery: true, icon: "i", sandboxEnabled: false };
  expect(read({ command: "x", ...theirs, version: "1", name: "n", alwaysLoad: true }).warnings).toEqual([]);
});

test.each([
  ["fields that it inherits", Object.create({ url }) as object, /expected plain keys/],
  ["a token that is inherited", { url, auth: Object.create({ token: "t" }) as object }, /auth: expected plain keys/],
  ["a transport that every object has", { url, type: "constructor" }, /type: expected stdio, http or sse/],
  ["a variable that every object has", { url: "${constructor}" }, /the environment variable constructor is not set/],
])("readBlock refuses %s", (_, block, reason) => {
  expect(() => read(block)).toThrow(reason);
});
