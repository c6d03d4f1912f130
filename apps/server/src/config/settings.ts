import path from "node:path";
import { defaultWorkspace, type ResultsMode } from "@toolpacks/core";
import envPaths from "env-paths";
import type { SurfaceName } from "@toolpacks/surface";
import { ConfigurationError } from "../configuration-error.ts";
import { logLevels, type LogLevel } from "../log.ts";
import { projectName } from "../project-name.ts";
import { checkStoreAddress, hasScheme } from "../store.ts";
import { findConfig, readConfig, type ConfigFile } from "./config-file.ts";
import type { Config } from "./config-schema.ts";

/** Who said what a setting is, in order of precedence. */
export type Source = "flag" | "environment" | "file" | "default";

export interface Setting<Value> {
  readonly value: Value;
  readonly source: Source;
  /** How to name the place where it was said: `--expose`, `$TOOLPACKS_EXPOSE`, a file and its key. */
  readonly said: string;
}

interface UsedFile extends ConfigFile {
  /** True where a flag or the environment named it: a command without would not find it. */
  readonly isNamed: boolean;
}

/** Everything that decides what is mounted and how it is served. */
export interface Settings {
  readonly file: UsedFile | undefined;
  readonly surface: Setting<SurfaceName>;
  readonly expose: Setting<readonly string[] | undefined>;
  readonly deny: Setting<readonly string[]>;
  readonly facet: Setting<string | undefined>;
  readonly roots: Setting<readonly string[]>;
  /** A file's path, or a `postgres://` address. */
  readonly store: Setting<string>;
  readonly workspace: Setting<string>;
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
}

/** The flags, as the command line gives them. */
export interface Flags {
  readonly config?: string;
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
  const given = flags.config ?? environment["TOOLPACKS_CONFIG"];
  const isNamed = given !== undefined && given !== "";
  const found = isNamed ? path.resolve(directory, given) : findConfig(directory);
  const file = found === undefined ? undefined : { ...(await readConfig(found)), isNamed };
  const from = chooser(file);
  const env = (name: string) => (environment[name] === "" ? undefined : environment[name]);
  const places = { flags, env, directory, file, from };
  const roots = settleRoots(places);
  return {
    file,
    surface: from("surface", { flag: flags.surface, fallback: "discovery" as const }),
    expose: from("expose", {
      flag: flags.expose,
      environment: ["TOOLPACKS_EXPOSE", splitNames(env("TOOLPACKS_EXPOSE"))],
      fallback: undefined,
    }),
    deny: from("deny", { flag: flags.deny, fallback: [] }),
    facet: from("facet", { flag: flags.facet, fallback: undefined }),
    roots,
    ...settleRecords(places, roots.value[0]),
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
      environment: ["TOOLPACKS_LOG_LEVEL", checkLevel(env("TOOLPACKS_LOG_LEVEL"))],
      fallback: "info" as const,
    }),
    workflows: file?.config.workflows ?? {},
    packs: file?.config.packs ?? {},
    mcpServers: file?.config.mcpServers ?? {},
  };
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

/** Where records live, whose they are, and who writes them. */
function settleRecords(
  { flags, env, directory, file, from }: Places,
  root: string | undefined,
): Pick<Settings, "store" | "workspace" | "maxWorkspaceBytes" | "actor"> {
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
        fallback: projectName(root) ?? defaultWorkspace,
      }),
    ),
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

function checkWorkspace(setting: Setting<string>): Setting<string> {
  const { value, source, said } = setting;
  if (value.length > 0 && value.length <= 100 && !/[\p{Cc}\p{Cs}]/u.test(value)) return setting;
  const expected = "expected 1 to 100 characters, none of them a control character";
  throw new ConfigurationError(
    source === "default"
      ? `workspace: the name of the first root's project cannot be one (${expected}): name another with --workspace, $TOOLPACKS_WORKSPACE or the config file`
      : `${said}: ${expected}`,
  );
}

/** `a, b` as two names. */
export function splitNames(text: string | undefined): string[] | undefined {
  return text
    ?.split(",")
    .map((name) => name.trim())
    .filter(Boolean);
}

function checkLevel(level: string | undefined): LogLevel | undefined {
  if (level === undefined) return undefined;
  const known = logLevels.find((one) => one === level);
  if (known !== undefined) return known;
  throw new ConfigurationError(`$TOOLPACKS_LOG_LEVEL: expected ${logLevels.join(", ")}, received ${level}`);
}

/** What a command needs so that it reads the config that is in use: nothing where it finds it by itself. */
export function configFlags(file: Settings["file"]): readonly string[] {
  if (file?.isNamed !== true) return [];
  return ["--config", /^[\w./\\:~@+,-]+$/.test(file.path) ? file.path : JSON.stringify(file.path)];
}
