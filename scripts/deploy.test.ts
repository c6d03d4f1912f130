import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { DCLinter } from "dclint";
import { validate as validateDockerfile } from "dockerfile-utils";
import { Deployment } from "kubernetes-models/apps/v1/Deployment";
import { Ingress } from "kubernetes-models/networking.k8s.io/v1/Ingress";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1/PodDisruptionBudget";
import { ConfigMap } from "kubernetes-models/v1/ConfigMap";
import { Service } from "kubernetes-models/v1/Service";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { configSchema } from "../apps/server/src/config/config-schema.ts";

const folder = path.join(import.meta.dirname, "../deploy");
const read = (name: string) => readFileSync(path.join(folder, name), "utf8");

test("the Dockerfile has no problems", () => {
  expect(validateDockerfile(read("Dockerfile"))).toEqual([]);
});

test("the compose file has no problems", () => {
  const [result] = new DCLinter({
    rules: { "require-quotes-in-ports": 0 },
    quiet: false,
    debug: false,
    exclude: [],
  }).lintFiles([path.join(folder, "compose.yaml")], false);
  expect(result?.messages).toEqual([]);
});

const manifests = parseAllDocuments(read("kubernetes.yaml")).map(
  (one) => one.toJS() as { kind: string; data?: Record<string, string> },
);
const models: Readonly<Record<string, new (data: never) => { validate(): void }>> = {
  ConfigMap,
  Deployment,
  Ingress,
  PodDisruptionBudget,
  Service,
};

test.each(manifests)("the $kind matches the schema of Kubernetes", (manifest) => {
  const Kind = models[manifest.kind];
  expect(Kind).toBeDefined();
  if (Kind !== undefined) new Kind(manifest as never).validate();
});

test("a wrong manifest does not match", () => {
  const deployment = manifests.find(({ kind }) => kind === "Deployment");
  expect(() => new Deployment({ ...deployment, spec: { replicas: "three" } } as never).validate()).toThrow("spec");
});

test.each([
  ["config.json", JSON.parse(read("config.json")) as unknown],
  [
    "the ConfigMap",
    JSON.parse(manifests.find(({ kind }) => kind === "ConfigMap")?.data?.["config.json"] ?? "") as unknown,
  ],
])("%s is a config file of the server", (_, config) => {
  expect(configSchema.safeParse(config)).toMatchObject({ success: true });
});

test("the paths in the compose file are those in its config file", () => {
  const { services } = parse(read("compose.yaml")) as { services: { toolpacks: { volumes: string[] } } };
  const { volumes } = services.toolpacks;
  const { http } = configSchema.parse(JSON.parse(read("config.json")));
  // A mounted file would stay the old one when a command replaces it.
  expect(volumes).toContain(`./tokens:${path.posix.dirname(http?.tokens ?? "")}:ro`);
  expect(read("README.md")).toContain(`--file tokens/${path.posix.basename(http?.tokens ?? "")}`);
  expect(volumes).toContain(`./config.json:${configInImage()}:ro`);
});

/** The config file that the image's command names. */
function configInImage(): string | undefined {
  const command = JSON.parse(/^CMD (\[.*\])$/m.exec(read("Dockerfile"))?.[1] ?? "[]") as readonly string[];
  return command[command.indexOf("--config") + 1];
}

test("the config file of the pods is the one that the image reads", () => {
  const deployment = manifests.find(({ kind }) => kind === "Deployment");
  expect(JSON.stringify(deployment)).toContain(`"mountPath":"${path.posix.dirname(configInImage() ?? "")}"`);
});

test("the image serves stdio with the arguments of the README", async () => {
  const [, block = ""] = /```json\n([^]*?)```/.exec(read("README.md")) ?? [];
  const { args } = (JSON.parse(block) as { mcpServers: { toolpacks: { args: string[] } } }).mcpServers.toolpacks;
  const [runtime, entry] = JSON.parse(/^ENTRYPOINT (\[.*\])$/m.exec(read("Dockerfile"))?.[1] ?? "[]") as string[];
  expect(runtime).toBe("node");
  const work = mkdtempSync(path.join(tmpdir(), "toolpacks-image-"));
  writeFileSync(path.join(work, "a.txt"), "text\n");
  const inContainer = args.slice(args.indexOf("toolpacks") + 1).map((one) => (one === "/work" ? work : one));
  const cli = path.join(folder, "../apps/server", path.posix.relative("/app", entry ?? ""));
  const client = new Client({ name: "test", version: "1.0.0" });
  const env = Object.fromEntries(
    [...(/^ENV (.*)$/m.exec(read("Dockerfile"))?.[1] ?? "").matchAll(/(\S+?)=(\S+)/g)].map(
      ([, name = "", value = ""]) => [name, value],
    ),
  );
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [cli, ...inContainer], env, stderr: "ignore" }),
  );
  const found = await client.callTool({ name: "tool_read", arguments: { name: "fs_read", args: { path: "a.txt" } } });
  expect(JSON.stringify(found.content)).toContain("text");
  await client.close();
});

test("git and the image leave out the secrets of the compose file", () => {
  const ignored = (name: string) => readFileSync(path.join(folder, name), "utf8").split("\n");
  expect(ignored("../.gitignore")).toEqual(expect.arrayContaining(["deploy/.env", "deploy/tokens/"]));
  expect(ignored("Dockerfile.dockerignore")).toEqual(expect.arrayContaining(["deploy/.env", "deploy/tokens"]));
});

test("HAProxy accepts its config file", ({ skip }) => {
  try {
    execFileSync("haproxy", ["-v"]);
  } catch {
    skip("HAProxy is not installed");
  }
  const check = () =>
    execFileSync("haproxy", ["-c", "-f", path.join(folder, "haproxy.cfg")], {
      env: { ...process.env, REPLICAS: "localhost:3333" },
      stdio: "pipe",
    });
  expect(check).not.toThrow();
});
