import { createHash } from "node:crypto";
import path from "node:path";
import { canvas } from "@toolpacks/canvas";
import { coreFacet, definedOnly } from "@toolpacks/core";
import { filesystem } from "@toolpacks/filesystem";
import { issues } from "@toolpacks/issues";
import { createTraces, memory, workspaceIds } from "@toolpacks/memory";
import { planner } from "@toolpacks/planner";
import { prompts } from "@toolpacks/prompts";
import { search } from "@toolpacks/search";
import { trackerSync } from "@toolpacks/tracker-sync";
import { workflows } from "@toolpacks/workflows";
import { createUndo } from "@toolpacks/undo";
import type { Settings } from "../config/settings.ts";
import { meaningOptions } from "../embeddings.ts";
import type { BundledPack } from "./bundled-pack.ts";
import { missingRoots, rootsOf } from "./pack-roots.ts";
import { readTraceSettings } from "./trace-settings.ts";
import { workflowLibrary } from "./workflow-library.ts";

/** The bundled packs, in the order of lists. To add a pack, add an entry. */
export const bundledPacks: readonly BundledPack[] = [
  bundled({
    name: "filesystem",
    prefix: "fs_",
    plan: (settings) => missingRoots("filesystem", settings) ?? fileOptions("filesystem", settings),
    create: (options) => ({ pack: filesystem(options) }),
  }),
  bundled({
    name: "search",
    prefix: "search_",
    plan(settings) {
      const roots = rootsOf("search", settings);
      return (
        missingRoots("search", settings) ?? {
          options: { ...ownOptions("search", settings), roots: [...roots.value] },
          roots,
        }
      );
    },
    create: (options) => ({ pack: search(options) }),
  }),
  bundled({
    name: "canvas",
    prefix: "canvas_",
    isOptional: true,
    plan: (settings) => missingRoots("canvas", settings) ?? fileOptions("canvas", settings),
    create: (options) => ({ pack: canvas(options) }),
  }),
  bundled({
    name: "issues",
    prefix: "issue_",
    plan(settings) {
      const { options, roots } = fileOptions("issues", settings);
      return { options: { ...options, ...definedOnly({ actor: settings.actor.value }) }, roots };
    },
    create: (options, { store }) => ({ pack: issues({ ...options, store }) }),
  }),
  bundled({
    name: "memory",
    prefix: "memory_",
    plan: (settings) => ({
      options: { ...ownOptions("memory", settings), traces: readTraceSettings(settings) },
    }),
    create({ traces: kept, ...options }, { settings, store, ownStore, log }) {
      const { meaning: table, embeddings: endpoint, model } = meaningOptions(settings);
      const meaning = {
        table,
        endpoint,
        model,
        onWarning: (message: string) => log.warn(`memory_recall: ${message}`),
      };
      if (kept === false) return { pack: memory({ ...options, store, meaning }) };
      const traces = createTraces(ownStore, {
        ...definedOnly(kept),
        onError: (error) => log.warn(`traces cannot be written: ${String(error)}`),
      });
      return { pack: memory({ ...options, store, traces, meaning }), observer: traces.observer };
    },
    workspaces: workspaceIds,
  }),
  bundled({
    name: "planner",
    prefix: "planner_",
    plan: (settings) => ({ options: ownOptions("planner", settings) }),
    create: (options) => ({ pack: planner({ ...options }) }),
  }),
  bundled({
    name: "prompts",
    prefix: "prompt_",
    isOptional: true,
    plan: (settings) => ({ options: ownOptions("prompts", settings) }),
    async create(options, { store, models }) {
      const canAsk = (await models.problem({})) === undefined;
      return { pack: prompts({ ...options, store, ...(canAsk && { models }) }) };
    },
  }),
  bundled({
    name: "tracker-sync",
    prefix: "issue_sync",
    isOptional: true,
    plan: (settings) => ({ options: { servers: {}, ...ownOptions("tracker-sync", settings) } }),
    create: (options, { store }) => ({ pack: trackerSync({ ...options, store }) }),
  }),
  bundled({
    name: "undo",
    prefix: "undo",
    plan(settings) {
      const { protect, protectedPaths } = fileOptions("filesystem", settings).options;
      const rootsByPack = Object.fromEntries(
        ["filesystem", "canvas", "issues"].map((name) => [name, rootsOf(name, settings).value]),
      );
      return { options: { ...ownOptions("undo", settings), files: { rootsByPack, protect, protectedPaths } } };
    },
    create({ files, ...limits }, { settings, store, local, log }) {
      const { rootsByPack, ...protection } = files;
      return createUndo({
        ...limits,
        store,
        local,
        lockFile: undoLock(settings),
        rootsByPack,
        protection,
        actor: settings.actor.value,
        onError: (error) => log.warn(`undo: what calls change cannot be kept: ${String(error)}`),
      });
    },
  }),
  bundled({
    name: "workflows",
    prefix: "workflow_",
    isLast: true,
    plan: (settings) => ({ options: ownOptions("workflows", settings) }),
    async create(options, { settings, store, log, models }) {
      const onBug = (error: unknown, name: string) => log.error(`step ${name} failed`, error);
      return { pack: workflows({ ...options, definitions: await workflowLibrary(settings), store, models, onBug }) };
    },
    check: async (settings, surface) => (await import("./check-workflows.ts")).checkWorkflows(settings, surface),
  }),
];

/** The names that packs of other servers cannot have. */
export const takenNames = {
  names: [coreFacet, "store", "relay", ...bundledPacks.map(({ name }) => name)],
  prefixes: ["tool_", "store_", "relay_", ...bundledPacks.map(({ prefix }) => prefix)],
};

/** Keeps the type of an entry's options between `plan` and `create`. */
function bundled<Options extends object>(pack: BundledPack<Options>): BundledPack {
  return pack;
}

function ownOptions(name: string, { packs }: Settings): object {
  const options = packs[name];
  return typeof options === "object" ? options : {};
}

/** Options of a pack that reads and writes files. A flag takes precedence over the pack's own `write`. */
function fileOptions(name: string, settings: Settings) {
  const { write, protectedPaths } = settings;
  const own: { readonly protectedPaths?: unknown; readonly protect?: boolean | string[] } = ownOptions(name, settings);
  const added = Array.isArray(own.protectedPaths) ? (own.protectedPaths as readonly string[]) : [];
  const roots = rootsOf(name, settings);
  const options = {
    write: write.value,
    ...own,
    ...(write.source === "flag" && { write: write.value }),
    roots: [...roots.value],
    protectedPaths: [...protectedPaths, ...added],
  };
  return { options, roots };
}

/** One process takes something back in a store at a time. */
function undoLock({ folders, store }: Settings): string {
  const name = createHash("sha256").update(store.value).digest("hex").slice(0, 16);
  return path.join(folders.data, "undo", `${name}.lock`);
}
