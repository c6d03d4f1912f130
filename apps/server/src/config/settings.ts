import path from "node:path";
import type { ResultsMode } from "@toolpacks/core";
import envPaths from "env-paths";
import { surfaceNames, type SurfaceName } from "@toolpacks/surface";
import type { ClientRoots } from "../accept-roots.ts";
import { ConfigurationError } from "../configuration-error.ts";
import { logLevels, type LogLevel } from "../log.ts";
import { shellQuote } from "../shell-quote.ts";
import { checkStoreAddress, hasScheme } from "../store.ts";
import { configWarnings } from "../trust/ignored-settings.ts";
import { openConfig, protectedPaths, type UsedFile } from "../trust/open-config.ts";
import { isWorkspaceText } from "../workspaces/registry.ts";
import type { ConfigFile } from "./config-file.ts";
import type { Config } from "./config-schema.ts";
import { contradictions } from "./contradictions.ts";
import { misnamedPacks } from "./misnamed-packs.ts";
import { unknownVariables } from "./unknown-variables.ts";

/** Who said what a setting is, in order of precedence. */
export type Source = "flag" | "environment" | "file" | "default";

export interface Setting<Value> {
  readonly value: Value;
  readonly source: Source;
  /** How to name the place where it was said: `--expose`, `$TOOLPACKS_EXPOSE`, a file and its key. */
  readonly said: string;
}

interface RootsSetting extends Setting<readonly string[]> {
  /** Why roots that the client names are not among them. */
  readonly refused?: readonly string[];
}

/** Everything that decides what is mounted and how it is served. */
export interface Settings {
  readonly file: UsedFile | undefined;
  readonly surface: Setting<SurfaceName>;
  readonly expose: Setting<readonly string[] | undefined>;
  readonly deny: Setting<readonly string[]>;
  readonly facet: Setting<string | undefined>;
  readonly roots: RootsSetting;
  /** Whether a client may name roots where there are none, or the folders that its roots must lie in. */
  readonly clientRoots: Setting<boolean | readonly string[]>;
  /** A file's path, or a `postgres://` address. */
  readonly store: Setting<string>;
  /** The id of the workspace that records belong to. Undefined: the first root's, else `default`. */
  readonly workspace: Setting<string | undefined>;
  /** Which workspaces calls may open. */
  readonly workspaces: Setting<"own" | "all" | readonly string[]>;
  /** Bytes that the records of one workspace may take. Undefined: the store's default. */
  readonly maxWorkspaceBytes: Setting<number | false | undefined>;
  /** Who the client's session is, for packs that keep who did what. No file says it: several sessions would share it. */
  readonly actor: Setting<string | undefined>;
  readonly write: Setting<boolean>;
  readonly readOnly: Setting<boolean>;
  readonly relay: Setting<Readonly<NonNullable<Config["relay"]>>>;
  readonly results: Setting<ResultsMode | undefined>;
  readonly autoBudget: Setting<number | undefined>;
  readonly embeddings: Setting<Readonly<NonNullable<Config["embeddings"]>> | undefined>;
  readonly sdk: Setting<1 | 2>;
  readonly watch: Setting<boolean>;
  readonly logLevel: Setting<LogLevel>;
  readonly workflows: NonNullable<Config["workflows"]>;
  readonly packs: Readonly<Record<string, boolean | Readonly<Record<string, unknown>>>>;
  /** Other servers, by the names that they were given; their blocks as they stand in the file. */
  readonly mcpServers: Readonly<Record<string, unknown>>;
  /** What a start and `doctor` say: what of the config file is ignored, misspelt variables, settings that contradict each other. */
  readonly warnings: readonly string[];
  /** Absolute paths that decide what the next start does, which no tool may write to: the config file in use, and the user's settings folder. */
  readonly protectedPaths: readonly string[];
}

/** The flags, as the command line gives them. */
export interface Flags {
  readonly config?: string;
  readonly trust?: boolean;
  readonly expose?: readonly string[];
  readonly deny?: readonly string[];
  readonly surface?: SurfaceName;
  readonly facet?: string;
  readonly root?: readonly string[];
  readonly store?: string;
  readonly workspace?: string;
  readonly write?: boolean;
  readonly readOnly?: boolean;
  readonly results?: ResultsMode;
  readonly sdk?: "1" | "2";
  readonly watch?: boolean;
  readonly logLevel?: LogLevel;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Settles every setting: flag, environment, file, default.
 *
 * @throws ConfigurationError naming the place and what would be accepted
 */
export async function settle(flags: Flags, environment: Environment, directory: string): Promise<Settings> {
  const named = flags.config ?? environment["TOOLPACKS_CONFIG"];
  const file = await openConfig({ named, trust: flags.trust === true, directory });
  const from = chooser(file);
  const env = (name: string) => (environment[name] === "" ? undefined : environment[name]);
  const places = { flags, env, directory, file, from };
  const roots = settleRoots(places);
  const records = settleRecords(places);
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
    sdk: from("sdk", { flag: flags.sdk === undefined ? undefined : flags.sdk === "1" ? 1 : 2, fallback: 2 as const }),
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
    protectedPaths: protectedPaths(file, records.store.value),
  };
  const warnings = [
    ...configWarnings(file),
    ...misnamedPacks(file),
    ...unknownVariables(environment, file),
    ...contradictions(settings),
  ];
  return { ...settings, warnings };
}

/** Where settings may come from. */
interface Places {
  readonly flags: Flags;
  readonly env: (name: string) => string | undefined;
  /** Where relative paths of flags and of the environment begin. */
  readonly directory: string;
  readonly file: ConfigFile | undefined;
  readonly from: ReturnType<typeof chooser>;
}

function settleRoots({ flags, env, directory, file, from }: Places): Settings["roots"] {
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

/** The settings of a server whose client has named its roots. */
export function withClientRoots(settings: Settings, named: ClientRoots | undefined): Settings {
  if (named === undefined || settings.roots.value.length > 0) return settings;
  const { accepted: value, refused } = named;
  return { ...settings, roots: { value, refused, source: "default", said: "the client's roots" } };
}

/** Where records live, whose they are, and who writes them. */
function settleRecords({
  flags,
  env,
  directory,
  file,
  from,
}: Places): Pick<Settings, "store" | "workspace" | "workspaces" | "maxWorkspaceBytes" | "actor"> {
  return {
    store: checkStoreAddress(
      from("store", {
        flag: storeAddress(directory, flags.store),
        environment: ["TOOLPACKS_STORE", storeAddress(directory, env("TOOLPACKS_STORE"))],
        file: file && storeAddress(file.directory, file.config.store),
        fallback: path.join(envPaths("toolpacks", { suffix: "" }).data, "store.db"),
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
    actor: actorFrom(env("TOOLPACKS_ACTOR")),
  };
}

interface Candidates<Value, Fallback> {
  readonly flagName?: string;
  readonly flag?: Value | undefined;
  readonly environment?: readonly [name: string, value: Value | undefined];
  /** In place of what the file says under the setting's name. */
  readonly file?: Value | undefined;
  readonly fallback: Fallback;
}

function chooser(file: ConfigFile | undefined) {
  return <Key extends keyof Config, Fallback>(
    key: Key,
    candidates: Candidates<Readonly<NonNullable<Config[Key]>>, Fallback>,
  ): Setting<Readonly<NonNullable<Config[Key]>> | Fallback> => {
    const { flag, environment, fallback, flagName = `--${key}` } = candidates;
    const inFile = candidates.file ?? file?.config[key];
    if (flag !== undefined) return { value: flag, source: "flag", said: flagName };
    if (environment?.[1] !== undefined)
      return { value: environment[1], source: "environment", said: `$${environment[0]}` };
    if (inFile !== undefined) return { value: inFile, source: "file", said: `${file?.path}: ${key}` };
    return { value: fallback, source: "default", said: "default" };
  };
}

function actorFrom(value: string | undefined): Settings["actor"] {
  if (value === undefined) return { value, source: "default", said: "default" };
  return { value, source: "environment", said: "$TOOLPACKS_ACTOR" };
}

/** A relative path begins where the setting was given. */
function storeAddress(base: string, address: string | undefined): string | undefined {
  if (address === undefined || address === "" || hasScheme(address)) return address;
  return path.resolve(base, address);
}

function checkWorkspace(setting: Setting<string | undefined>): Setting<string | undefined> {
  const { value, said } = setting;
  if (value === undefined || isWorkspaceText(value)) return setting;
  throw new ConfigurationError(`${said}: expected 1 to 100 characters, none of them a control character`);
}

/** `a, b` as two names. */
export function splitNames(text: string | undefined): string[] | undefined {
  return text
    ?.split(",")
    .map((name) => name.trim())
    .filter(Boolean);
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

/** What a command needs so that it reads the config that is in use: nothing where it finds and trusts it by itself. */
export function configFlags(file: Settings["file"]): readonly string[] {
  if (file === undefined) return [];
  if (!file.isNamed) return file.isTrustedByFlag ? ["--trust"] : [];
  return ["--config", shellQuote(file.path)];
}
