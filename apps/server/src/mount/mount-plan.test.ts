import { describe, expect, test } from "vitest";
import { resolveHttp } from "@toolpacks/host";
import type { Setting, Settings } from "../config/settings.ts";
import { planMount, type MountPlan } from "./mount-plan.ts";

const byDefault = <Value>(value: Value): Setting<Value> => ({ value, source: "default", origin: "default" });
const byFlag = <Value>(value: Value, origin: string): Setting<Value> => ({ value, source: "flag", origin });

/** The settings of a start without flags and config file, in a folder that is a root. */
const defaults: Settings = {
  file: undefined,
  surface: byDefault("discovery"),
  expose: byDefault(undefined),
  deny: byDefault([]),
  facet: byDefault(undefined),
  roots: byFlag(["/project"], "--root"),
  clientRoots: byDefault(true),
  store: byDefault("/data/store.db"),
  workspace: byDefault(undefined),
  workspaces: byDefault("own"),
  maxWorkspaceBytes: byDefault(undefined),
  actor: byDefault(undefined),
  write: byDefault(false),
  readOnly: byDefault(false),
  relay: byDefault(undefined),
  results: byDefault(undefined),
  autoBudget: byDefault(undefined),
  embeddings: byDefault(undefined),
  models: byDefault({}),
  routing: byDefault({}),
  modelBudget: byDefault(undefined),
  meaning: byDefault(true),
  http: byDefault(resolveHttp({ flags: {}, directory: "/project", file: undefined })),
  watch: byDefault(false),
  logLevel: byDefault("info"),
  workflows: {},
  packs: {},
  mcpServers: {},
  folders: { config: "/config", data: "/data", cache: "/cache" },
  warnings: [],
  protectedPaths: ["/data/store.db"],
  io: { cwd: "/", env: {} },
};

const file = (ignored: readonly string[] = []): NonNullable<Settings["file"]> => ({
  path: "/project/toolpacks.config.json",
  directory: "/project",
  config: {},
  isNamed: false,
  isUserConfig: false,
  isTrustedByFlag: false,
  ignored: ignored.map((key) => ({ key, value: true })),
  hasChanged: false,
  unused: [],
});

/** A summary of a plan: names, and reasons of packs that are left out. */
function summary(plan: MountPlan) {
  const { bundled, imported, servers, leftOut, relay, ...policy } = plan;
  return {
    ...policy,
    bundled: bundled.map(({ entry }) => entry.name),
    imported: imported.map(({ specifier }) => specifier),
    servers: servers.map(({ name }) => name),
    leftOut: Object.fromEntries(leftOut.map(({ name, reason }) => [name, reason])),
    relay: relay !== undefined,
  };
}

function optionsOf(settings: Partial<Settings>, name: string): object | undefined {
  return planMount({ ...defaults, ...settings }).bundled.find(({ entry }) => entry.name === name)?.options;
}

const bundled = ["filesystem", "search", "issues", "memory", "planner", "undo", "workflows"];
const without = (...names: readonly string[]) => bundled.filter((name) => !names.includes(name));
const noRoot = "no root is given, so no file is reachable";
const offByDefault = "it is off by default";
const onlyMemory = "only memory is mounted";

const cases: Readonly<Record<string, readonly [settings: Partial<Settings>, plan: object]>> = {
  "the defaults mount every bundled pack": [
    {},
    {
      bundled,
      imported: [],
      servers: [],
      leftOut: { canvas: offByDefault, prompts: offByDefault },
      facet: undefined,
      surface: "discovery",
      expose: undefined,
      deny: [],
      readOnly: false,
      relay: true,
    },
  ],
  "without a root, packs of files are left out": [
    { roots: byDefault([]) },
    { bundled: without("filesystem", "search"), leftOut: { filesystem: noRoot, search: noRoot } },
  ],
  "a refused root of the client is the reason": [
    { roots: { ...byDefault([]), refused: ['"file:///etc" is outside'] } },
    { leftOut: { filesystem: `the client's root "file:///etc" is outside`, search: expect.any(String) } },
  ],
  "an ignored root of an untrusted file is the reason": [
    { roots: byDefault([]), file: file(["roots"]) },
    { leftOut: { filesystem: expect.stringMatching(/, since .* is not trusted$/), search: expect.any(String) } },
  ],
  "roots of a pack in the config file are enough for it": [
    { roots: byDefault([]), file: file(), packs: { filesystem: { roots: ["src"] } } },
    { bundled: without("search"), leftOut: { search: noRoot } },
  ],
  "an optional pack is mounted if the config file names it": [
    { packs: { canvas: true, prompts: {} } },
    {
      bundled: ["filesystem", "search", "canvas", "issues", "memory", "planner", "prompts", "undo", "workflows"],
      leftOut: {},
    },
  ],
  "an optional pack is mounted as the only facet": [{ facet: byFlag("canvas", "--facet") }, { bundled: ["canvas"] }],
  "a pack that is false is left out": [
    { packs: { memory: false } },
    { bundled: without("memory"), leftOut: { memory: "it is turned off" } },
  ],
  "a denied pack is mounted, and the catalog refuses it": [
    { deny: byFlag(["memory", "fs_write"], "--deny") },
    { bundled, deny: ["memory", "fs_write"] },
  ],
  "one facet leaves all others out, is listed directly, and needs no relay": [
    { facet: byFlag("memory", "--facet"), expose: byFlag(["core"], "--expose"), surface: byDefault("two-tool") },
    {
      bundled: ["memory"],
      leftOut: Object.fromEntries(without("memory").map((name) => [name, onlyMemory])),
      facet: "memory",
      surface: "direct",
      expose: undefined,
      relay: false,
    },
  ],
  "the facet of the record tools needs the kinds of all packs": [{ facet: byFlag("store", "--facet") }, { bundled }],
  "the relay is off when denied, by its pack's or its tool's name": [
    { deny: byFlag(["relay_read"], "--deny") },
    { relay: false, deny: [] },
  ],
  "the relay is off on the direct surface": [{ surface: byFlag("direct", "--surface") }, { relay: false }],
  "the relay is on there if the config file says so": [
    { surface: byFlag("direct", "--surface"), relay: byDefault(true) },
    { relay: true },
  ],
  "the relay is decided later on the auto surface": [{ surface: byFlag("auto", "--surface") }, { relay: true }],
  "the relay is off in the config file": [{ relay: byDefault(false) }, { relay: false }],
  "packs outside the bundle are imported": [
    { packs: { "./notes.mjs": {}, "@acme/pack": true, "./off.mjs": false } },
    { imported: ["./notes.mjs", "@acme/pack"], leftOut: {} },
  ],
  "packs and servers of an untrusted file are left out": [
    { file: file(["packs../evil.mjs", "packs.filesystem", "mcpServers.Evil Server"]) },
    {
      imported: [],
      servers: [],
      leftOut: { "./evil.mjs": expect.any(String), "evil-server": expect.stringContaining("is not trusted") },
    },
  ],
  "servers get free names, and do not hide bundled packs": [
    { mcpServers: { GitHub: {}, memory: {}, fs: {}, "7z": {}, github: {} } },
    { servers: ["git-hub", "mcp-memory", "mcp-fs", "mcp-7z", "github"] },
  ],
  "servers that are disabled or denied are left out": [
    { mcpServers: { a: { disabled: true }, b: {}, c: {} }, deny: byFlag(["b"], "--deny") },
    { servers: ["c"], leftOut: { a: "it is disabled", b: "it is denied" } },
  ],
};

describe("planMount:", () => {
  test.each(Object.entries(cases))("%s", (_, [settings, plan]) => {
    expect(summary(planMount({ ...defaults, ...settings }))).toMatchObject(plan);
  });

  test("the tools of a server avoid the longer prefixes of other servers", () => {
    const { servers } = planMount({ ...defaults, mcpServers: { git: {}, "git-lab": {} } });
    expect(servers.map(({ name, avoid }) => [name, avoid])).toEqual([
      ["git", ["git_lab_"]],
      ["git-lab", []],
    ]);
  });
});

describe("options of bundled packs:", () => {
  test.each<[string, Partial<Settings>, boolean]>([
    ["nothing is written by default", {}, false],
    ["write applies to every pack", { write: byDefault(true) }, true],
    [
      "a pack's own write goes before the file's",
      { write: byDefault(true), packs: { filesystem: { write: false } } },
      false,
    ],
    [
      "a flag goes before a pack's own write",
      { write: byFlag(true, "--write"), packs: { filesystem: { write: false } } },
      true,
    ],
  ])("%s", (_, settings, write) => {
    expect(optionsOf(settings, "filesystem")).toMatchObject({ write, roots: ["/project"] });
  });

  test("a pack adds to the protected paths, and cannot remove any", () => {
    const packs = { issues: { protectedPaths: ["/secret"] } };
    expect(optionsOf({ packs }, "issues")).toMatchObject({ protectedPaths: ["/data/store.db", "/secret"] });
  });

  test.each<[string, Partial<Settings>, object | false]>([
    ["traces are recorded by default", {}, {}],
    ["with the limits of the config file", { packs: { memory: { traces: { keep: 5 } } } }, { keep: 5 }],
    ["not where they are off", { packs: { memory: { traces: false } } }, false],
    ["not by a read-only server", { readOnly: byFlag(true, "--read-only") }, false],
    ["not where memory is denied", { deny: byFlag(["memory"], "--deny") }, false],
    ["not for another facet", { facet: byFlag("store", "--facet") }, false],
  ])("%s", (_, settings, traces) => {
    expect(optionsOf(settings, "memory")).toMatchObject({ traces });
  });

  test("roots that are no names are refused and their place is named", () => {
    const roots = { filesystem: { roots: [""] } };
    expect(() => planMount({ ...defaults, roots: byDefault([]), file: file(), packs: roots })).toThrow(
      "/project/toolpacks.config.json: packs.filesystem.roots: expected the names of directories",
    );
  });
});
