import path from "node:path";
import { loadSettings, userFolders, type SettingsIo } from "@toolpacks/settings";
import { protectedPaths } from "../trust/protected-paths.ts";
import { configDefinition } from "./config-definition.ts";
import { resolveHttp } from "./resolve-http.ts";
import type { Flags, Setting, Settings } from "./settings.ts";

/**
 * Resolves every setting, in this order: flag, environment, file, default.
 *
 * @throws ConfigurationError naming the place and the accepted values
 */
export async function resolveSettings(flags: Flags, env: SettingsIo["env"], directory: string): Promise<Settings> {
  const sdk = flags.sdk === undefined ? undefined : Number(flags.sdk);
  const loaded = await loadSettings(configDefinition, { ...flags, sdk }, { cwd: directory, env });
  const { file, settings, warnings } = loaded;
  const http = resolveHttp({ flags, directory, file: file && { ...file, http: file.config.http } });
  const { store } = settings;
  const folders = userFolders(configDefinition.name, env);
  const defaultStore = { ...store, value: store.value ?? path.join(folders.data, "store.db") };
  return {
    ...settings,
    file,
    store: defaultStore,
    actor: resolveActor(env["TOOLPACKS_ACTOR"]),
    http,
    workflows: file?.config.workflows ?? {},
    packs: file?.config.packs ?? {},
    mcpServers: file?.config.mcpServers ?? {},
    folders,
    io: { cwd: directory, env },
    protectedPaths: protectedPaths(file, { store: defaultStore.value, tokens: http.value.tokens, folders }),
    warnings,
  };
}

function resolveActor(value: string | undefined): Setting<string | undefined> {
  if (value === undefined || value === "") return { value: undefined, source: "default", origin: "default" };
  return { value, source: "environment", origin: "$TOOLPACKS_ACTOR" };
}
