import type { ConfigFile } from "../config/config-file.ts";

/** A setting of an untrusted config file that is not applied. */
export interface IgnoredSetting {
  /** Key in the config file: `write`, `packs../notes.js`. */
  readonly key: string;
  readonly value: unknown;
}

/** A config file in use, with its state of trust. */
export interface UsedFile extends ConfigFile {
  /** Whether a flag or the environment names the file. Other commands need the same flag. */
  readonly isNamed: boolean;
  /** Whether the file is the one in the user's settings folder, since no other was found. */
  readonly isUserConfig: boolean;
  /** Whether `--trust` is set. Other commands need the flag too. */
  readonly isTrustedByFlag: boolean;
  /** Digest of the trusted content. Undefined for a file that is not trusted, or whose trust does not depend on its content. */
  readonly trustedDigest?: string;
  /** Settings that are ignored because the file is not trusted. */
  readonly ignored: readonly IgnoredSetting[];
  /** Whether an earlier content of the file was trusted. */
  readonly hasChanged: boolean;
  /** Other config files in the same folder. They are not read. */
  readonly unused: readonly string[];
}
