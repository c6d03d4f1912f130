import type { ResultsMode } from "@toolpacks/core";
import type { SurfaceName } from "@toolpacks/surface";
import type { ClientRoots } from "../accept-roots.ts";
import type { LogLevel } from "../log.ts";
import { shellQuote } from "../shell-quote.ts";
import type { UsedFile } from "../trust/used-file.ts";
import type { Config } from "./config-schema.ts";

/** Who said what a setting is, in order of precedence. */
export type Source = "flag" | "environment" | "file" | "default";

export interface Setting<Value> {
  readonly value: Value;
  readonly source: Source;
  /** How to name the place where it was said: `--expose`, `$TOOLPACKS_EXPOSE`, a file and its key. */
  readonly origin: string;
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

/** The settings of a server whose client has named its roots. */
export function withClientRoots(settings: Settings, named: ClientRoots | undefined): Settings {
  if (named === undefined || settings.roots.value.length > 0) return settings;
  const { accepted: value, refused } = named;
  return { ...settings, roots: { value, refused, source: "default", origin: "the client's roots" } };
}

/** `a, b` as two names. */
export function splitNames(text: string | undefined): string[] | undefined {
  return text
    ?.split(",")
    .map((name) => name.trim())
    .filter(Boolean);
}

/** What a command needs so that it reads the config that is in use: nothing where it finds and trusts it by itself. */
export function configFlags(file: Settings["file"]): readonly string[] {
  if (file === undefined) return [];
  if (!file.isNamed) return file.isTrustedByFlag ? ["--trust"] : [];
  return ["--config", shellQuote(file.path)];
}
