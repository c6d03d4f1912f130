import { homedir } from "node:os";
import path from "node:path";

/** The folders of a program in the user's home. */
export interface UserFolders {
  /** Settings, such as `~/.config/<name>`. */
  readonly config: string;
  /** Data, such as `~/.local/share/<name>`. */
  readonly data: string;
  /** What can be made again, such as `~/.cache/<name>`. */
  readonly cache: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The user's folders of a program, where the operating system has them. A relative `$XDG_CONFIG_HOME` is resolved in the home folder: it must not lead
 * into the current folder.
 */
export function userFolders(name: string, env: Environment): UserFolders {
  const home = env[process.platform === "win32" ? "USERPROFILE" : "HOME"] || homedir();
  const folder = (variable: string, ...fallback: readonly string[]) =>
    path.resolve(home, env[variable] || path.join(...fallback));
  switch (process.platform) {
    case "darwin": {
      const library = path.join(home, "Library");
      return {
        config: path.join(library, "Preferences", name),
        data: path.join(library, "Application Support", name),
        cache: path.join(library, "Caches", name),
      };
    }
    case "win32": {
      const local = path.join(folder("LOCALAPPDATA", "AppData", "Local"), name);
      return {
        config: path.join(folder("APPDATA", "AppData", "Roaming"), name, "Config"),
        data: path.join(local, "Data"),
        cache: path.join(local, "Cache"),
      };
    }
    default:
      return {
        config: path.join(folder("XDG_CONFIG_HOME", ".config"), name),
        data: path.join(folder("XDG_DATA_HOME", ".local", "share"), name),
        cache: path.join(folder("XDG_CACHE_HOME", ".cache"), name),
      };
  }
}
