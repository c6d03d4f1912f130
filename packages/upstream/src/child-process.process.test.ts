import type { CallToolResult } from "@modelcontextprotocol/client";
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { createSurface } from "@toolpacks/surface";
import { expect, test } from "vitest";
import { connectServer } from "./connect-server.ts";
import { connectAs, connectThrough, createUpstream, credentialsOf, folder, official } from "./wire.fixture.ts";

const program = (name: string) => fileURLToPath(new URL(`./${name}.fixture.ts`, import.meta.url));
const invoked = (name: string, args: object = {}) => ({ name: "tool_invoke", arguments: { name, args } });

test.each(["shared", "caller"] as const)(
  "with the identity %s, the token of our caller is not passed on to a process: neither in variables nor in messages",
  async (identity) => {
    const canary = "canary-token-of-our-caller";
    const file = path.join(folder(), "seen");
    const args = [program("canary-server"), file];
    const pack = createUpstream({ name: "own", command: process.execPath, args, identity, caller: "ada" });
    const client = await connectAs(await createSurface({ packs: [pack] }), credentialsOf("ada", canary));
    expect((await client.callTool(invoked("own_say"))).isError).not.toBe(true);
    for (const { name } of (await client.listPrompts()).prompts) await client.getPrompt({ name });
    for (const { uri } of (await client.listResources()).resources) await client.readResource({ uri });
    const seen = readFileSync(file, "utf8");
    for (const method of ["tools/call", "prompts/get", "resources/read"]) expect(seen).toContain(method);
    expect(seen).not.toContain(canary);
  },
);

test("stderr is logged as debug, and as a warning when the server ends unexpectedly", async () => {
  const lines: string[] = [];
  const script = `
    process.stderr.write("all is well\\n");
    setTimeout(() => {
      process.stderr.write("Error: no licence\\n    at give (server.js:1:1)\\n\\nNode.js v24.0.0\\n");
      process.exit(1);
    }, 300);`;
  const log = (level: string, message: string) => void lines.push(`${level}: ${message}`);
  const pack = createUpstream({ name: "own", command: process.execPath, args: ["-e", script], log });
  const { problem } = await pack.check();
  expect(problem?.message).toMatch(/it ended with exit code 1 before it answered; stderr: Error: no licence$/);
  expect(lines).toContain("debug: all is well");
});

test("connectServer lists a program's tools under their own names", async () => {
  const args = [official("filesystem"), folder()];
  const client = await connectServer({ name: "files", command: process.execPath, args });
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain("read_text_file");
  const answer = await client.callTool({ name: "list_allowed_directories", arguments: {} });
  expect(JSON.stringify(answer.content)).toContain(args[1]);
  await client.close();
});

const textOf = ({ content }: CallToolResult) =>
  content.map((block) => (block.type === "text" ? block.text : "")).join("\n");

test("a child process gets the variables named for it, those of the network and npm, and no other", async () => {
  const network = { NODE_EXTRA_CA_CERTS: "/ca.pem", HTTPS_PROXY: "http://p:1", no_proxy: "a.example" };
  const npm = {
    npm_config_registry: "http://r/",
    "npm_config_@own:registry": "http://o/",
    NPM_CONFIG_CAFILE: "/ca.pem",
  };
  const secret = {
    TOOLPACKS_TEST_SECRET: "hidden",
    npm_config__auth: "hidden",
    "npm_config_//r/:_authToken": "hidden",
    npm_config__password: "hidden",
    npm_config_package: "other",
  };
  Object.assign(process.env, network, npm, secret);
  const pack = createUpstream({
    name: "every",
    command: process.execPath,
    args: [official("everything")],
    env: { GIVEN: "yes" },
  });
  const { client } = await connectThrough([pack]);
  const seen = JSON.parse(textOf(await client.callTool(invoked("every_get_env")))) as Record<string, string>;
  for (const name of Object.keys({ ...network, ...npm, ...secret })) delete process.env[name];
  expect(seen).toMatchObject({ GIVEN: "yes", ...network, ...npm });
  expect(Object.keys(seen).filter((name) => name in secret)).toEqual([]);
  const known = new Set(["GIVEN", "HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", ...Object.keys(network)]);
  const isKnown = (name: string) => known.has(name) || /^(npm_config_|SSL_CERT_)|_proxy$/i.test(name);
  expect(Object.keys(seen).filter((name) => !isKnown(name))).toEqual([]);
});
