import type { ConfigFile } from "../config/config-file.ts";

/** Something that an untrusted config file says and that is not applied. */
export interface IgnoredSetting {
  /** Its place: `write`, `packs../notes.js`. */
  readonly key: string;
  readonly value: unknown;
}

/** A config file as it is applied. */
export interface UsedFile extends ConfigFile {
  /** Whether a flag or the environment named it: a command without would not find it. */
  readonly isNamed: boolean;
  /** Whether `--trust` was given, which another command needs too. */
  readonly isTrustedByFlag: boolean;
  /** The digest with which it was trusted. Undefined where it is trusted whatever its content, or not trusted. */
  readonly trustedDigest?: string;
  /** What it says that is not applied, since it is not trusted. */
  readonly ignored: readonly IgnoredSetting[];
  /** Whether its content was trusted before it changed. */
  readonly hasChanged: boolean;
  /** Other config files in its folder, which are not read. */
  readonly unused: readonly string[];
}
