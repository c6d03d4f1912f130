import { restrictConfig } from "@toolpacks/settings";
import { describe, expect, test } from "vitest";
import { configSchema, type Config } from "./config-schema.ts";
import { untrustedRules } from "./untrusted-rules.ts";

interface Expectation<Key extends keyof Config> {
  readonly kept?: readonly Config[Key][];
  /** Each value, and the part that is applied. */
  readonly ignored?: readonly (readonly [value: Config[Key], keys: readonly string[], left?: Config[Key]])[];
}

const call = { steps: [{ tool: "fs_read", params: { path: "a" } }] };
const asksModel = { steps: [{ model: "default", prompt: "Send all of it." }] };
const workflow = (source: object) => source as NonNullable<Config["workflows"]>[string];

/** The values of each setting that an untrusted file may set. */
const settings: { readonly [Key in keyof Config]-?: Expectation<Key> } = {
  $schema: { kept: ["https://example.com/schema.json"] },
  surface: { kept: ["two-tool"] },
  expose: { kept: [["core", "filesystem"]] },
  deny: { kept: [["fs_delete"]] },
  facet: { kept: ["memory"] },
  results: { kept: ["both"] },
  autoBudget: { kept: [100] },
  logLevel: {
    kept: ["warn", "info", "debug"],
    ignored: [
      ["silent", ["logLevel"]],
      ["error", ["logLevel"]],
    ],
  },
  clientRoots: {
    kept: [false],
    ignored: [
      [true, ["clientRoots"]],
      [["/"], ["clientRoots"]],
    ],
  },
  maxWorkspaceBytes: {
    ignored: [
      [1000, ["maxWorkspaceBytes"]],
      [false, ["maxWorkspaceBytes"]],
    ],
  },
  workspaces: {
    kept: ["own"],
    ignored: [
      ["all", ["workspaces"]],
      [["other"], ["workspaces"]],
    ],
  },
  http: { ignored: [[{ host: "0.0.0.0" }, ["http"]]] },
  write: { kept: [false], ignored: [[true, ["write"]]] },
  readOnly: { kept: [true], ignored: [[false, ["readOnly"]]] },
  relay: {
    kept: [true, false, { thresholdTokens: 1000, mode: "json", page: 500, maxAgeHours: 24 }, { maxBytes: 1000 }],
    ignored: [
      [{ maxAgeHours: 25 }, ["relay"]],
      [{ thresholdTokens: 1000, maxBytes: 268_435_457 }, ["relay"]],
    ],
  },
  packs: {
    kept: [{ memory: false }, { memory: true }, { "./notes.js": false }],
    ignored: [
      [{ "./notes.js": {} }, ["packs../notes.js"], {}],
      [{ "./notes.js": true, memory: false }, ["packs../notes.js"], { memory: false }],
      [{ undo: false }, ["packs.undo"], {}],
      [{ undo: { days: 1 } }, ["packs.undo"], {}],
      [{ "@acme/pack": {} }, ["packs.@acme/pack"], {}],
      [{ filesystem: { roots: ["/"] } }, ["packs.filesystem"], {}],
      [{ workflows: { models: { a: { url: "http://h/v1", keyVariable: "KEY" } } } }, ["packs.workflows"], {}],
    ],
  },
  workflows: {
    kept: [{ a: workflow(call), b: workflow({ steps: [{ workflow: "a" }, { step: "value", params: {} }] }) }],
    ignored: [
      [{ a: workflow(asksModel), b: workflow(call) }, ["workflows.a"], { b: workflow(call) }],
      [{ a: workflow({ steps: [{ task: "plan", prompt: "x" }] }) }, ["workflows.a"], {}],
      [{ a: workflow({ steps: [{ tool: "t", fallback: asksModel.steps }] }) }, ["workflows.a"], {}],
      [{ a: workflow({ steps: [{ parallel: [{ forEach: [1], steps: asksModel.steps }] }] }) }, ["workflows.a"], {}],
      [{ a: workflow({ steps: [{ step: "shell" }] }) }, ["workflows.a"], {}],
      [{ a: workflow({ steps: [{ code: "return 1" }] }) }, ["workflows.a"], {}],
      [{ project_audit: workflow(call) }, ["workflows.project_audit"], {}],
      [{ a: workflow({ steps: [{ workflow: "project_audit" }] }) }, ["workflows.a"], {}],
      [
        {
          c: workflow({ steps: [{ workflow: "b" }] }),
          b: workflow({ steps: [{ workflow: "a" }] }),
          a: workflow(asksModel),
        },
        ["workflows.c", "workflows.b", "workflows.a"],
        {},
      ],
    ],
  },
  mcpServers: {
    ignored: [[{ evil: { command: "sh" }, web: { url: "https://e" } }, ["mcpServers.evil", "mcpServers.web"], {}]],
  },
  roots: { ignored: [[["/"], ["roots"]]] },
  store: { ignored: [["postgres://u:p@h/d", ["store"]]] },
  workspace: { ignored: [["other", ["workspace"]]] },
  embeddings: { ignored: [[{ url: "http://h/v1", model: "m", keyVariable: "KEY" }, ["embeddings"]]] },
  models: {
    ignored: [
      [{ evil: { url: "http://evil/v1", keyVariable: "KEY" } }, ["models"]],
      [{ mine: { sampling: true } }, ["models"]],
    ],
  },
  routing: { ignored: [[{ plan: ["evil"] }, ["routing"]]] },
  modelBudget: { ignored: [[{ day: { tokens: 1 } }, ["modelBudget"]]] },
  meaning: { kept: [true, false, "minilm", "table"] },
  watch: { ignored: [[true, ["watch"]]] },
};

describe("restrictConfig", () => {
  test("has an expected result in this test for every setting", () => {
    expect(Object.keys(settings).toSorted()).toEqual(Object.keys(configSchema.shape).toSorted());
  });

  interface Row {
    readonly key: string;
    readonly value: unknown;
    readonly keys: readonly string[];
    readonly left: unknown;
  }
  const kept: Row[] = [];
  const ignored: Row[] = [];
  for (const [key, expectation] of Object.entries(settings as Readonly<Record<string, Expectation<keyof Config>>>)) {
    kept.push(...(expectation.kept ?? []).map((value): Row => ({ key, value, keys: [], left: value })));
    ignored.push(...(expectation.ignored ?? []).map(([value, keys, left]): Row => ({ key, value, keys, left })));
  }

  test.each(kept)("keeps $key: $value", async ({ key, value }) => {
    expect(await restrictConfig<Config>({ [key]: value }, untrustedRules)).toEqual({
      config: { [key]: value },
      ignored: [],
    });
  });

  test.each(ignored)("ignores $key: $value", async ({ key, value, keys, left }) => {
    const restricted = await restrictConfig<Config>({ [key]: value }, untrustedRules);
    expect(restricted.ignored.map((one) => one.key)).toEqual(keys);
    expect(restricted.config).toEqual(left === undefined ? {} : { [key]: left });
  });

  test("ignores a setting without a rule", async () => {
    const config: object = { hooks: ["rm"], toString: "x" };
    const restricted = await restrictConfig(config, untrustedRules);
    expect(restricted.config).toEqual({});
    expect(restricted.ignored.map(({ key }) => key)).toEqual(["hooks", "toString"]);
  });
});
