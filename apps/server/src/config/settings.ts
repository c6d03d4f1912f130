import type { ResultsMode } from "@toolpacks/core";
import {
  splitNames,
  type Resolved,
  type Setting,
  type UsedFile,
  type UserFolders,
  type SettingsIo,
} from "@toolpacks/settings";
import type { SurfaceName } from "@toolpacks/surface";
import type { ClientRoots } from "@toolpacks/files";
import { shellQuote } from "@toolpacks/terminal";
import type { LogLevel } from "../log.ts";
import type { Config } from "./config-schema.ts";
import type { settingSources } from "./setting-sources.ts";
import type { HttpFlags, ResolvedHttp } from "@toolpacks/host";

export { splitNames, type Setting };

/** The origin of the roots of a command that nothing sets. */
export const currentProject = "the current project";

interface RootsSetting extends Setting<readonly string[]> {
  /** Why roots of the client were refused, one line each. */
  readonly refused?: readonly string[];
  /** Returns the folders of the caller within these roots. Undefined: the caller may access every root. */
  readonly narrow?: (roots: readonly string[]) => readonly string[];
}

/** Everything that decides what is mounted and how it is served. */
export interface Settings extends Omit<Resolved<Config, typeof settingSources>, "roots" | "store"> {
  readonly file: UsedFile<Config> | undefined;
  readonly roots: RootsSetting;
  /** The store's address, which selects its driver in `stores/`. */
  readonly store: Setting<string>;
  /** Name of the client's session, for packs that record who made a change. Config files cannot set it: sessions would share it. */
  readonly actor: Setting<string | undefined>;
  /** The address, callers and limits of `serve --http`. */
  readonly http: Setting<ResolvedHttp>;
  readonly workflows: NonNullable<Config["workflows"]>;
  readonly packs: Readonly<Record<string, boolean | Readonly<Record<string, unknown>>>>;
  /** Blocks of other servers by name, as written in the file. */
  readonly mcpServers: Readonly<Record<string, unknown>>;
  /** The user's folders of toolpacks. */
  readonly folders: UserFolders;
  /** The folder and the variables that the settings were read with. */
  readonly io: SettingsIo;
  /** Warnings for the log and `doctor`, about the config file. */
  readonly warnings: readonly string[];
  /** Absolute paths that no tool may write to, since they control the next start: the config file, its files, the store, the user's folders. */
  readonly protectedPaths: readonly string[];
}

/** The parsed flags of the command line. */
export interface Flags extends HttpFlags {
  readonly config?: string;
  /** False for a server, which uses neither the config file in the user's settings folder nor the project of the current folder by itself. */
  readonly userConfig?: false;
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
  readonly watch?: boolean;
  readonly logLevel?: LogLevel;
}

/** Adds the roots of the client to settings without roots. */
export function withClientRoots(settings: Settings, named: ClientRoots | undefined): Settings {
  if (named === undefined || settings.roots.value.length > 0) return settings;
  const { accepted: value, refused } = named;
  return { ...settings, roots: { value, refused, source: "default", origin: "the client's roots" } };
}

/** The flags with which another command uses the same config file. Empty when it finds and trusts the file by itself. */
export function configFlags(file: Settings["file"]): readonly string[] {
  if (file === undefined) return [];
  if (!file.isNamed) return file.isTrustedByFlag ? ["--trust"] : [];
  return ["--config", shellQuote(file.path)];
}
