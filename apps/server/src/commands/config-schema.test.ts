import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Validator } from "@cfworker/json-schema";
import { ConfigurationError } from "@toolpacks/core";
import { expect, test } from "vitest";
import { folder, run } from "../run-cli.fixture.ts";
import { resolveSettings } from "../config/resolve-settings.ts";
import { silentLog } from "../log.ts";
import { bundledPacks } from "../mount/bundled-packs.ts";
import { createPacks } from "../mount/create-packs.ts";
import { planMount } from "../mount/mount-plan.ts";
import { openModels } from "../models.ts";
import { openStore } from "../stores/open-store.ts";
import { configJsonSchema } from "./config-schema.ts";

/** The parts of a JSON Schema that these tests read. */
interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

type Fields = Readonly<Record<string, unknown>>;

const schema: Schema = configJsonSchema();
const validator = new Validator(configJsonSchema(), "2020-12");
const packNames = bundledPacks.map(({ name }) => name);
const packSchema = (name: string) => schema.properties?.["packs"]?.properties?.[name] ?? {};

// Roots must exist: these folders have the names in the values below.
const directory = folder();
for (const name of ["docs", "x!"]) mkdirSync(path.join(directory, name));

/** Whether an editor accepts the options of a pack. */
function editorAccepts(name: string, options: unknown): boolean {
  return validator.validate({ roots: ["."], packs: { [name]: options } }).valid;
}

/** What the server says of the options of a pack, when it creates the pack. */
async function serverProblems(name: string, options: unknown): Promise<readonly string[]> {
  const config = path.join(directory, "mine.json");
  writeFileSync(config, JSON.stringify({ roots: ["."], packs: { [name]: options } }));
  try {
    const settings = await resolveSettings({ config, store: "store.db" }, {}, directory);
    const store = await openStore(settings, { registersFolder: false });
    const services = {
      store,
      ownStore: store,
      local: store.local(),
      settings,
      log: silentLog,
      models: openModels(settings, { store }),
    };
    return (await createPacks(planMount(settings), { services, instances: new Map() })).problems;
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
}

const absolute = path.resolve("/secret");

/** Valid options, and invalid ones with the field that the server names. */
const examples: Readonly<
  Record<string, { readonly good: readonly Fields[]; readonly bad: Readonly<Record<string, Fields>> }>
> = {
  filesystem: {
    good: [
      { roots: ["docs"], write: true, protect: [".git", ".vscode/tasks.json"], protectedPaths: [absolute] },
      { protect: false, maxReadBytes: 2048, timeoutMs: 100, list: { over: 50 } },
    ],
    bad: {
      roots: { roots: "docs" },
      wirte: { wirte: true },
      "protect[0]": { protect: ["../up"] },
      "protectedPaths[0]": { protectedPaths: ["secret"] },
      maxReadBytes: { maxReadBytes: 1 },
      "list.over": { list: { over: 0 } },
    },
  },
  search: {
    good: [{ roots: ["docs"], timeoutMs: 5_000, list: { over: 3, show: 2 } }],
    bad: { timeoutMs: { timeoutMs: "1s" }, "list.shw": { list: { shw: 2 } }, write: { write: true } },
  },
  canvas: {
    good: [{ roots: ["docs"], write: true, protectedPaths: [absolute] }],
    bad: { roots: { roots: "docs" }, wirte: { wirte: true }, "protectedPaths[0]": { protectedPaths: ["secret"] } },
  },
  issues: {
    good: [{ prefix: "web", actor: "ann", leaseMinutes: 5, write: true, roots: ["docs"], protectedPaths: [absolute] }],
    bad: { prefix: { prefix: "Web" }, leaseMinutes: { leaseMinutes: 0 }, store: { store: "other.db" } },
  },
  memory: {
    good: [{ traces: false }, { traces: { keep: 10, days: 0.5 } }],
    bad: { traces: { traces: { keep: -1 } }, store: { store: "other.db" } },
  },
  planner: { good: [{}], bad: { keep: { keep: 3 } } },
  prompts: { good: [{}], bad: { keep: { keep: 3 } } },
  "tracker-sync": {
    good: [{ servers: { github: { tracker: "github", args: { owner: "acme", repo: "web" } } } }],
    bad: { servers: { servers: "github" }, "servers.github": { servers: { github: true } } },
  },
  undo: { good: [{ maxBytes: 1e6, days: 0.5, maxFileBytes: 1000 }], bad: { days: { days: -1 }, undo: { undo: {} } } },
  workflows: {
    good: [{ inline: ["tool"], reports: { keep: 5 }, limits: { maxSteps: 10, maxSeconds: 1.5 } }],
    bad: {
      models: { models: { default: { url: "http://localhost:11434/v1" } } },
      "limits.maxSteps": { limits: { maxSteps: 0 } },
      definitions: { definitions: {} },
      onBug: { onBug: "print" },
    },
  },
};

test("each bundled pack has examples", () => {
  expect(Object.keys(examples)).toEqual(packNames);
  expect(Object.keys(schema.properties?.["packs"]?.properties ?? {})).toEqual(packNames);
});

test.each(packNames)("an editor and the server accept the same examples of the %s pack", async (name) => {
  const { good = [], bad = {} } = examples[name] ?? {};
  for (const options of [true, false, ...good]) {
    expect({ options, accepted: editorAccepts(name, options) }).toEqual({ options, accepted: true });
    expect(await serverProblems(name, options)).toEqual([]);
  }
  for (const [field, options] of Object.entries(bad)) {
    expect({ options, accepted: editorAccepts(name, options) }).toEqual({ options, accepted: false });
    expect((await serverProblems(name, options)).join("\n")).toContain(field);
  }
});

/** Values that each option gets in turn. */
const values = [true, -1, 1.5, 500, 1e12, "", "x!", [], [3], ["x!"], {}, { "x!": 1 }, null];

test.each(packNames)("an editor and the server agree on each option of the %s pack with each value", async (name) => {
  const places = placesIn(packSchema(name));
  let accepted = 0;
  for (const place of places) {
    for (const value of values) {
      const options = place.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
      const isAccepted = editorAccepts(name, options);
      const problems = await serverProblems(name, options);
      expect({ options, isAccepted, problems }).toMatchObject({ isAccepted: problems.length === 0 });
      for (const problem of problems) expect(problem).toContain(`: packs.${name}`);
      if (isAccepted) accepted += 1;
    }
  }
  expect(accepted).toBeGreaterThanOrEqual(places.length);
});

/** The places of a schema's fields. `default` stands for a name that a user chooses. */
function placesIn(field: Schema, place: readonly string[] = []): readonly (readonly string[])[] {
  return [place, ...fieldsOf(field).flatMap(([key, inner]) => placesIn(inner, [...place, key]))];
}

function fieldsOf({
  properties = {},
  additionalProperties,
  anyOf = [],
}: Schema): readonly (readonly [string, Schema])[] {
  const named = typeof additionalProperties === "object" ? [["default", additionalProperties] as const] : [];
  return [...Object.entries(properties), ...named, ...anyOf.flatMap(fieldsOf)];
}

test("each field of the config file has a description, and options have their defaults", () => {
  const described = (field: Schema, place: string): readonly string[] => [
    ...(field.description === undefined && !place.endsWith(".default") ? [place] : []),
    ...fieldsOf(field).flatMap(([key, inner]) => described(inner, `${place}.${key}`)),
  ];
  expect(fieldsOf(schema).flatMap(([key, field]) => described(field, key))).toEqual([]);
  expect(packSchema("filesystem").anyOf?.[1]?.properties?.["timeoutMs"]).toMatchObject({ default: 30_000 });
});

test("the command prints this schema, and the server names the line of a wrong option", async () => {
  const { stdout } = await run(["config", "schema"]);
  expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify(schema)));
  const cwd = folder({ "toolpacks.config.json": '{\n  "packs": {\n    "issues": { "prefx": "web" }\n  }\n}\n' });
  const doctor = await run(["doctor"], { cwd });
  expect(doctor.stdout).toContain(
    "toolpacks.config.json:3:17: packs.issues.prefx: unknown field, did you mean prefix?",
  );
});
