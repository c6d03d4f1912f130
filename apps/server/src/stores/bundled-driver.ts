import type { OwnedStore } from "@toolpacks/core";
import type { StoreOptions } from "@toolpacks/store";
import type { RateLimiter } from "@toolpacks/access";

/** A bundled store driver. Only a driver's file in this folder knows which database it is. */
export interface BundledDriver {
  /** The name of the database, for messages. */
  readonly name: string;
  /** The form of an address, for messages: `postgres://user:password@host/database`. */
  readonly addressFormat: string;
  /**
   * Whether several machines can use a store at the same time. What their servers must share is then in the store, and not in files of the user's folder.
   */
  readonly isShared: boolean;
  /** Whether an address is one of this driver. The functions below get only such addresses. */
  readonly matches: (address: string) => boolean;
  /** The reason why an address cannot be used, without any part of it; undefined when it can. Absent: every address can be used. */
  readonly addressProblem?: (address: string) => string | undefined;
  /** The address for output, without passwords. */
  readonly describe: (address: string) => string;
  /** The files that hold the store, which no tool may write. Absent: the store is not in local files. */
  readonly files?: (address: string) => readonly string[];
  /** Whether there is a store. Absent: only a connection can show it, so a command that only reads opens the store. */
  readonly exists?: (address: string) => boolean;
  /** The store at an address. It is opened, created or connected at its first use. */
  readonly open: (address: string, options: DriverOptions) => Promise<OwnedStore>;
  /**
   * A second store at an address, for the short-lived records that the servers of the first one exchange, such as change events. It has a
   * writer lock, generations and a change feed of its own: its frequent writes do not wait for writes of users, and do not wake followers of the first store.
   * Its records are in no export. Records that must last, such as sign-ins, are in `OwnedStore.internal`. Absent: one server at a time serves clients from
   * a store.
   */
  readonly openExchange?: (address: string) => Promise<OwnedStore>;
  /** Counts the requests of all servers on the store together. It connects at its first use. Absent: each server counts its own. */
  readonly openRateLimiter?: (address: string) => Promise<SharedRateLimiter>;
  /** Inspects a store for `doctor`, without creating it. */
  readonly inspect: (address: string) => Promise<StoreInspection>;
  /** Tests that this Node.js can use the driver. Returns the problems. Absent: there is nothing to test. */
  readonly selfTest?: () => Promise<readonly string[]>;
  /** Copies a consistent snapshot to a new file, and returns its generation; or names the program that makes backups. */
  readonly backup: ((address: string, file: string) => Promise<number>) | { readonly program: string };
}

/** Counts the events of all servers of a store together. */
export interface SharedRateLimiter extends RateLimiter {
  end(): Promise<void>;
}

export interface DriverOptions {
  /** The options of every store. The driver passes them to `createStore`. */
  readonly store: StoreOptions;
  /** Time allowed to connect to a database, in ms. Undefined: the driver's default. */
  readonly connectTimeoutMs: number | undefined;
  /** Called with one line when the store is opened and other users can read or replace it. */
  readonly onWarning: ((message: string) => void) | undefined;
}

/** Facts about a store that are found without opening it. Opening would create a store. */
export interface StoreInspection {
  /** Whether there is a store. Also true when this is not known: opening it then reports the error, and creates nothing. */
  readonly exists: boolean;
  /** The reason why the store cannot be written, or cannot be created. */
  readonly writeProblem?: string | undefined;
  readonly otherProblems?: readonly string[];
}
