import { readFileSync } from "node:fs";
import path from "node:path";
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

test("git and the image leave out the secrets of the compose file", () => {
  const ignored = (name: string) => readFileSync(path.join(folder, name), "utf8").split("\n");
  expect(ignored("../.gitignore")).toEqual(expect.arrayContaining(["deploy/.env", "deploy/tokens/"]));
  expect(ignored("Dockerfile.dockerignore")).toEqual(expect.arrayContaining(["deploy/.env", "deploy/tokens"]));
});
