import path from "node:path";
import { surfaceNames } from "@toolpacks/surface";
import { ConfigurationError } from "../configuration-error.ts";
import { logLevels } from "../log.ts";
import { checkStoreAddress, resolveStoreAddress } from "../stores/store-address.ts";
import { configWarnings } from "../trust/ignored-settings.ts";
import { openConfig, protectedPaths } from "../trust/open-config.ts";
import { dataFolder } from "../user-folders.ts";
import { isWorkspaceText } from "../workspaces/registry.ts";
import type { ConfigFile } from "./config-file.ts";
import type { Config } from "./config-schema.ts";
import { contradictions } from "./contradictions.ts";
import { misnamedPacks } from "./misnamed-packs.ts";
import { resolveHttp } from "./resolve-http.ts";
import { splitNames, type Flags, type Setting, type Settings } from "./settings.ts";
import { unknownVariables } from "./unknown-variables.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Resolves every setting, in this order: flag, environment, file, default.
 *
 * @throws ConfigurationError naming the place and the accepted values
 */
export async function resolveSettings(flags: Flags, environment: Environment, directory: string): Promise<Settings> {
  const named = flags.config ?? environment["TOOLPACKS_CONFIG"];
  const file = await openConfig({ ...flags, named, directory });
  const from = createResolver(file);
  const env = (name: string) => (environment[name] === "" ? undefined : environment[name]);
  const sources = { flags, env, directory, file, from };
  const roots = resolveRoots(sources);
  const records = resolveRecordSettings(sources);
  const http = resolveHttp({ flags, directory, file: file && { ...file, http: file.config.http } });
  const settings = {
    file,
    surface: from("surface", {
      flag: flags.surface,
      environment: ["TOOLPACKS_SURFACE", oneOf("TOOLPACKS_SURFACE", env("TOOLPACKS_SURFACE"), surfaceNames)],
      fallback: "discovery" as const,
    }),
    expose: from("expose", {
      flag: flags.expose,
      environment: ["TOOLPACKS_EXPOSE", splitNames(env("TOOLPACKS_EXPOSE"))],
      fallback: undefined,
    }),
    deny: from("deny", { flag: flags.deny, fallback: [] }),
    facet: from("facet", { flag: flags.facet, fallback: undefined }),
    roots,
    clientRoots: from("clientRoots", { file: allowedRoots(file), fallback: true }),
    ...records,
    write: from("write", { flag: flags.write, fallback: false }),
    readOnly: from("readOnly", { flagName: "--read-only", flag: flags.readOnly, fallback: false }),
    relay: from("relay", { fallback: true }),
    results: from("results", { flag: flags.results, fallback: undefined }),
    autoBudget: from("autoBudget", { fallback: undefined }),
    embeddings: from("embeddings", { fallback: undefined }),
    models: from("models", { fallback: {} }),
    routing: from("routing", { fallback: {} }),
    modelBudget: from("modelBudget", { fallback: undefined }),
    meaning: from("meaning", { fallback: true }),
    sdk: from("sdk", { flag: flags.sdk === undefined ? undefined : flags.sdk === "1" ? 1 : 2, fallback: 2 as const }),
    http,
    watch: from("watch", { flag: flags.watch, fallback: false }),
    logLevel: from("logLevel", {
      flagName: "--log-level",
      flag: flags.logLevel,
      environment: ["TOOLPACKS_LOG_LEVEL", oneOf("TOOLPACKS_LOG_LEVEL", env("TOOLPACKS_LOG_LEVEL"), logLevels)],
      fallback: "info" as const,
    }),
    workflows: file?.config.workflows ?? {},
    packs: file?.config.packs ?? {},
    mcpServers: file?.config.mcpServers ?? {},
    issuesSync: file?.config.issuesSync ?? {},
    protectedPaths: protectedPaths(file, { store: records.store.value, tokens: http.value.tokens }),
  };
  const warnings = [
    ...configWarnings(file),
    ...misnamedPacks(file),
    ...unknownVariables(environment, file),
    ...contradictions(settings),
  ];
  return { ...settings, warnings };
}

/** The sources of settings. */
interface SettingSources {
  readonly flags: Flags;
  readonly env: (name: string) => string | undefined;
  /** Base of relative paths in flags and in the environment. */
  readonly directory: string;
  readonly file: ConfigFile | undefined;
  readonly from: ReturnType<typeof createResolver>;
}

function resolveRoots({ flags, env, directory, file, from }: SettingSources): Settings["roots"] {
  const resolveAll = (base: string, paths: readonly string[] | undefined) =>
    paths?.map((one) => path.resolve(base, one));
  return from("roots", {
    flagName: "--root",
    flag: resolveAll(directory, flags.root),
    environment: [
      "TOOLPACKS_ROOTS",
      resolveAll(directory, env("TOOLPACKS_ROOTS")?.split(path.delimiter).filter(Boolean)),
    ],
    file: file && resolveAll(file.directory, file.config.roots),
    fallback: [],
  });
}

function allowedRoots(file: ConfigFile | undefined): Config["clientRoots"] {
  const allowed = file?.config.clientRoots;
  return Array.isArray(allowed) ? allowed.map((one) => path.resolve(file?.directory ?? "", one)) : allowed;
}

/** Resolves the settings of records: the store, the workspace, and the actor. */
function resolveRecordSettings({
  flags,
  env,
  directory,
  file,
  from,
}: SettingSources): Pick<Settings, "store" | "workspace" | "workspaces" | "maxWorkspaceBytes" | "actor"> {
  return {
    store: checkStoreAddress(
      from("store", {
        flag: resolveStoreAddress(directory, flags.store),
        environment: ["TOOLPACKS_STORE", resolveStoreAddress(directory, env("TOOLPACKS_STORE"))],
        file: file && resolveStoreAddress(file.directory, file.config.store),
        fallback: path.join(dataFolder(), "store.db"),
      }),
    ),
    workspace: checkWorkspace(
      from("workspace", {
        flag: flags.workspace,
        environment: ["TOOLPACKS_WORKSPACE", env("TOOLPACKS_WORKSPACE")],
        fallback: undefined,
      }),
    ),
    workspaces: from("workspaces", { fallback: "own" as const }),
    maxWorkspaceBytes: from("maxWorkspaceBytes", { fallback: undefined }),
    actor: resolveActor(env("TOOLPACKS_ACTOR")),
  };
}

interface Candidates<Value, Fallback> {
  readonly flagName?: string;
  readonly flag?: Value | undefined;
  readonly environment?: readonly [name: string, value: Value | undefined];
  /** The file's value, if it is not the plain value of the key. */
  readonly file?: Value | undefined;
  readonly fallback: Fallback;
}

function createResolver(file: ConfigFile | undefined) {
  return <Key extends keyof Config, Fallback>(
    key: Key,
    candidates: Candidates<Readonly<NonNullable<Config[Key]>>, Fallback>,
  ): Setting<Readonly<NonNullable<Config[Key]>> | Fallback> => {
    const { flag, environment, fallback, flagName = `--${key}` } = candidates;
    const inFile = candidates.file ?? file?.config[key];
    if (flag !== undefined) return { value: flag, source: "flag", origin: flagName };
    if (environment?.[1] !== undefined)
      return { value: environment[1], source: "environment", origin: `$${environment[0]}` };
    if (inFile !== undefined) return { value: inFile, source: "file", origin: `${file?.path}: ${key}` };
    return { value: fallback, source: "default", origin: "default" };
  };
}

function resolveActor(value: string | undefined): Settings["actor"] {
  if (value === undefined) return { value, source: "default", origin: "default" };
  return { value, source: "environment", origin: "$TOOLPACKS_ACTOR" };
}

function checkWorkspace(setting: Setting<string | undefined>): Setting<string | undefined> {
  const { value, origin } = setting;
  if (value === undefined || isWorkspaceText(value)) return setting;
  throw new ConfigurationError(`${origin}: expected 1 to 100 characters, none of them a control character`);
}

function oneOf<Name extends string>(
  variable: string,
  value: string | undefined,
  known: readonly Name[],
): Name | undefined {
  if (value === undefined) return undefined;
  const found = known.find((one) => one === value);
  if (found !== undefined) return found;
  throw new ConfigurationError(`$${variable}: expected ${known.join(", ")}, received ${value}`);
}
