import path from "node:path";
import { resolveHttp } from "@toolpacks/host";
import { loadSettings, userFolders, type SettingsIo } from "@toolpacks/settings";
import { protectedPaths } from "./protected-paths.ts";
import { configDefinition } from "./config-definition.ts";
import type { Flags, Setting, Settings } from "./settings.ts";

/**
 * Resolves every setting, in this order: flag, environment, file, default. A command that is no server is in the project of its folder.
 *
 * @throws ConfigurationError naming the place and the accepted values
 */
export async function resolveSettings(flags: Flags, env: SettingsIo["env"], directory: string): Promise<Settings> {
  const loaded = await loadSettings(configDefinition, flags, { cwd: directory, env });
  const { file, settings, warnings } = loaded;
  const httpInFile = file?.config.http;
  const http = resolveHttp({ flags, directory, file: file && { directory: file.directory, http: httpInFile } });
  const { roots, store } = settings;
  const hasOwnRoots = flags.userConfig === false || roots.source !== "default";
  const folders = userFolders(configDefinition.name, env);
  const defaultStore = { ...store, value: store.value ?? path.join(folders.data, "store.db") };
  return {
    ...settings,
    file,
    roots: hasOwnRoots ? roots : (await import("./current-project.ts")).projectRoots(directory, folders),
    store: defaultStore,
    actor: resolveActor(env["TOOLPACKS_ACTOR"]),
    http: { value: http, ...(httpInFile ? { source: "file", origin: `${file?.path}: http` } : unset) },
    workflows: file?.config.workflows ?? {},
    packs: file?.config.packs ?? {},
    mcpServers: file?.config.mcpServers ?? {},
    folders,
    io: { cwd: directory, env },
    protectedPaths: protectedPaths(file, { store: defaultStore.value, tokens: http.tokens, folders }),
    warnings,
  };
}

const unset = { source: "default", origin: "default" } as const;

function resolveActor(value: string | undefined): Setting<string | undefined> {
  if (value === undefined || value === "") return { value: undefined, ...unset };
  return { value, source: "environment", origin: "$TOOLPACKS_ACTOR" };
}
