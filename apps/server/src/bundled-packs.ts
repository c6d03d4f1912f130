import { statSync } from "node:fs";
import path from "node:path";
import type { Pack, Store, Withheld } from "@toolpacks/core";
import type { Traces } from "@toolpacks/memory";
import type { Surface } from "@toolpacks/surface";
import type { Settings } from "./config/settings.ts";
import { ConfigurationError } from "./configuration-error.ts";
import { ignoredReason } from "./trust/ignored-settings.ts";
import { workflowLibrary } from "./workflow-library.ts";

/** A pack that comes with the server. To add a pack, add an entry to `bundledPacks`. */
export interface BundledPack {
  readonly name: string;
  /** The prefix of its tools' names. A call to a tool of an unmounted pack is recognized by it. */
  readonly prefix: string;
  /** The reason why the pack cannot run with these settings, and a hint; undefined when it can. */
  readonly missing: (settings: Settings) => Pick<Withheld, "reason" | "hint"> | undefined;
  readonly create: (context: PackContext) => Promise<Pack>;
}

/** What the server passes to a bundled pack's factory. */
export interface PackContext {
  readonly settings: Settings;
  readonly store: Store;
  readonly traces: Traces | undefined;
  /** The pack's options in the config file. */
  readonly options: object;
  /** The surface on which the packs are mounted. Throws before they are mounted. */
  readonly surface: () => Surface;
}

export const bundledPacks: readonly BundledPack[] = [
  {
    name: "filesystem",
    prefix: "fs_",
    missing: (settings) => missingRoots("filesystem", settings),
    create: async ({ settings, options }) => {
      const { filesystem } = await import("@toolpacks/filesystem");
      const { write } = settings;
      const flags = {
        roots: checkedRoots("filesystem", settings),
        protectedPaths: allProtectedPaths(settings, options),
        ...(write.source === "flag" && { write: write.value }),
      };
      return filesystem({ write: write.value, ...options, ...flags });
    },
  },
  {
    name: "search",
    prefix: "search_",
    missing: (settings) => missingRoots("search", settings),
    create: async ({ settings, options }) => {
      const { search } = await import("@toolpacks/search");
      return search({ ...options, roots: checkedRoots("search", settings) });
    },
  },
  {
    name: "issues",
    prefix: "issue_",
    missing: () => undefined,
    create: async ({ settings, store, options }) => {
      const { issues } = await import("@toolpacks/issues");
      const { write, actor } = settings;
      const session = actor.value === undefined ? {} : { actor: actor.value };
      const flags = {
        roots: checkedRoots("issues", settings),
        protectedPaths: allProtectedPaths(settings, options),
        ...(write.source === "flag" && { write: write.value }),
      };
      return issues({ write: write.value, ...options, ...session, ...flags, store });
    },
  },
  {
    name: "memory",
    prefix: "memory_",
    missing: () => undefined,
    create: async ({ store, traces, options }) => {
      const { memory } = await import("@toolpacks/memory");
      return memory({ ...options, store, traces });
    },
  },
  {
    name: "planner",
    prefix: "planner_",
    missing: () => undefined,
    create: async ({ options }) => (await import("@toolpacks/planner")).planner({ ...options }),
  },
  {
    name: "workflows",
    prefix: "workflow_",
    missing: () => undefined,
    create: async ({ settings, store, options }) => {
      const { workflows } = await import("@toolpacks/workflows");
      return workflows({ ...options, definitions: await workflowLibrary(settings), store });
    },
  },
];

/** Whether a pack in the config file is a bundled one, which needs no import. */
export function isBundled(name: string): boolean {
  return bundledPacks.some((pack) => pack.name === name);
}

/** The server's protected paths, and those in the pack's options. */
function allProtectedPaths(settings: Settings, options: { readonly protectedPaths?: unknown }): string[] {
  const { protectedPaths: added } = options;
  return [...settings.protectedPaths, ...(Array.isArray(added) ? (added as readonly string[]) : [])];
}

function missingRoots(name: string, settings: Settings): Pick<Withheld, "reason" | "hint"> | undefined {
  if (rootsOf(name, settings).value.length > 0) return undefined;
  const [refused] = settings.roots.refused ?? [];
  if (refused !== undefined) {
    return {
      reason: `the client's root ${refused}`,
      hint: "Have the client name another, change clientRoots in the config file, or start the server with --root <dir>.",
    };
  }
  const reason = "no root is given, so no file is reachable";
  const hint = "Add one: --root <dir>, $TOOLPACKS_ROOTS, or roots in the config file.";
  const isIgnored = settings.file?.ignored.some(({ key }) => key === "roots" || key === `packs.${name}`) ?? false;
  if (!isIgnored) return { reason, hint };
  const ignored = ignoredReason(settings.file);
  return { reason: `${reason}, since ${ignored.reason}`, hint: `${hint} ${ignored.hint}` };
}

function checkedRoots(name: string, settings: Settings): string[] {
  const { value, origin } = rootsOf(name, settings);
  for (const root of value) checkRoot(root, origin);
  return [...value];
}

/** The roots of a pack. Precedence: flag, environment, `packs.<name>.roots`, `roots`. */
function rootsOf(name: string, { roots, packs, file }: Settings): Pick<Settings["roots"], "value" | "origin"> {
  const options = packs[name];
  const own = typeof options === "object" ? options["roots"] : undefined;
  const isOverridden = roots.source === "flag" || roots.source === "environment";
  if (isOverridden || file === undefined || !Array.isArray(own) || own.length === 0) return roots;
  const origin = `${file.path}: packs.${name}.roots`;
  const value = own.map((root: unknown) => {
    if (typeof root === "string" && root !== "") return path.resolve(file.directory, root);
    throw new ConfigurationError(`${origin}: expected the names of directories`);
  });
  return { value, origin };
}

function checkRoot(root: string, origin: string): void {
  if (statSync(root, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new ConfigurationError(`${origin}: expected an existing directory, received ${root}`);
}
