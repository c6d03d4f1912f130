import { definedOnly } from "@toolpacks/core";
import type { Settings } from "../config/settings.ts";
import type { BundledPack } from "./bundled-pack.ts";
import { missingRoots, rootsOf } from "./pack-roots.ts";
import { readTraceSettings } from "./trace-settings.ts";

/** The bundled packs, in the order of lists. To add a pack, add an entry. */
export const bundledPacks: readonly BundledPack[] = [
  bundled({
    name: "filesystem",
    prefix: "fs_",
    plan: (settings) => missingRoots("filesystem", settings) ?? fileOptions("filesystem", settings),
    async create(options) {
      const { filesystem } = await import("@toolpacks/filesystem");
      return { pack: filesystem(options) };
    },
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
    async create(options) {
      const { search } = await import("@toolpacks/search");
      return { pack: search(options) };
    },
  }),
  bundled({
    name: "issues",
    prefix: "issue_",
    plan(settings) {
      const { options, roots } = fileOptions("issues", settings);
      return { options: { ...options, ...definedOnly({ actor: settings.actor.value }) }, roots };
    },
    async create(options, { store }) {
      const { issues } = await import("@toolpacks/issues");
      return { pack: issues({ ...options, store }) };
    },
  }),
  bundled({
    name: "memory",
    prefix: "memory_",
    plan: (settings) => ({
      options: { ...ownOptions("memory", settings), traces: readTraceSettings(settings) },
    }),
    async create({ traces: kept, ...options }, { store, serverStore, log }) {
      const { createTraces, memory } = await import("@toolpacks/memory");
      if (kept === false) return { pack: memory({ ...options, store }) };
      const traces = createTraces(serverStore, {
        ...definedOnly(kept),
        onError: (error) => log.warn(`traces cannot be written: ${String(error)}`),
      });
      return { pack: memory({ ...options, store, traces }), interceptor: traces.interceptor };
    },
    workspaces: async (store) => (await import("@toolpacks/memory")).workspaceIds(store),
  }),
  bundled({
    name: "planner",
    prefix: "planner_",
    plan: (settings) => ({ options: ownOptions("planner", settings) }),
    async create(options) {
      const { planner } = await import("@toolpacks/planner");
      return { pack: planner({ ...options }) };
    },
  }),
  bundled({
    name: "workflows",
    prefix: "workflow_",
    isLast: true,
    plan: (settings) => ({ options: ownOptions("workflows", settings) }),
    async create(options, { settings, store }) {
      const { workflows } = await import("@toolpacks/workflows");
      const { workflowLibrary } = await import("./workflow-library.ts");
      return { pack: workflows({ ...options, definitions: await workflowLibrary(settings), store }) };
    },
    check: async (settings, surface) =>
      (await import("../doctor/check-workflows.ts")).checkWorkflows(settings, surface),
  }),
];

/** Whether a pack in the config file is a bundled one, which needs no import. */
export function isBundled(name: string): boolean {
  return bundledPacks.some((pack) => pack.name === name);
}

/** Keeps the type of an entry's options between `plan` and `create`. */
function bundled<Options extends object>(pack: BundledPack<Options>): BundledPack {
  return pack;
}

/** The pack's options in the config file. */
function ownOptions(name: string, { packs }: Settings): object {
  const options = packs[name];
  return typeof options === "object" ? options : {};
}

/** Options of a pack that reads and writes files. A flag takes precedence over the pack's own `write`. */
function fileOptions(name: string, settings: Settings) {
  const { write, protectedPaths } = settings;
  const own: { readonly protectedPaths?: unknown } = ownOptions(name, settings);
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
