import type { ConfigFile } from "./config-definition.ts";
import type { IgnoredSetting } from "./untrusted-rules.ts";

/** A config file in use, with its state of trust. */
export interface UsedFile<Config extends object> extends ConfigFile<Config> {
  /** Whether a flag or the environment names the file. Other commands need the same flag. */
  readonly isNamed: boolean;
  /** Whether the file is the one in the user's settings folder, since no other was found. */
  readonly isUserConfig: boolean;
  /** Whether `--trust` is set. Other commands need the flag too. */
  readonly isTrustedByFlag: boolean;
  /** Settings that are ignored because the file is not trusted. */
  readonly ignored: readonly IgnoredSetting[];
  /** Whether an earlier content of the file was trusted. */
  readonly hasChanged: boolean;
  /** Other config files in the same folder. They are not read. */
  readonly unused: readonly string[];
}
