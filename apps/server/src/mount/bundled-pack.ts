import type { CallObserver, Interceptor, Pack, Store } from "@toolpacks/core";
import type { Models } from "@toolpacks/models";
import type { Surface } from "@toolpacks/surface";
import type { bundledNames } from "../config/bundled-names.ts";
import type { Settings } from "../config/settings.ts";
import type { Log } from "../log.ts";

/** A bundled pack, and everything that the server must know of it. */
export interface BundledPack<Options extends object = object> {
  readonly name: (typeof bundledNames)[number];
  /** The prefix of its tools' names. A call to a tool of an unmounted pack is recognized by it. */
  readonly prefix: string;
  /** Whether lists show its tools after those of all other packs. Default false. */
  readonly isLast?: boolean;
  /** Whether the pack is mounted only if the config file turns it on, or as the only facet. Default false. */
  readonly isOptional?: boolean;
  /** Decides from the settings alone whether the pack is mounted, and with which options. @throws ConfigurationError */
  plan(settings: Settings): PackOptions<Options> | Exclusion;
  /** Creates the pack. It loads the code of its tools when they are first needed. */
  create(options: Options, services: PackServices): CreatedPack | Promise<CreatedPack>;
  /** Lists the ids of the store's workspaces, for the two-tool surface. */
  readonly workspaces?: (store: Store) => Promise<readonly string[]>;
  /** The problems that `toolpacks doctor` shows, found on the surface with all packs. */
  readonly check?: (settings: Settings, surface: Surface) => Promise<readonly string[]>;
}

/** Options of a pack's factory. */
export interface PackOptions<Options extends object = object> {
  readonly options: Options;
  /** The roots in the options. Each must be an existing directory. */
  readonly roots?: PackRoots;
}

/** Directories within which a pack reaches files, and the setting that names them. */
export type PackRoots = Pick<Settings["roots"], "value" | "origin">;

/** Why a pack is not mounted, and what a user can do. */
export interface Exclusion {
  readonly reason: string;
  readonly hint: string;
}

/** What the server passes to a bundled pack. */
export interface PackServices {
  /** The store with the workspaces that calls may open. */
  readonly store: Store;
  /** The same store, which stays in its own workspace during a call in another one. */
  readonly ownStore: Store;
  /** The view of records that are of use in this store only. */
  readonly local: Store;
  readonly settings: Settings;
  readonly log: Log;
  /** The configured models. */
  readonly models: Models;
}

export interface CreatedPack {
  readonly pack: Pack;
  /** Runs around every call of every pack. */
  readonly observer?: CallObserver;
  /** Runs around every call of a pack's tool, inside the relay. */
  readonly interceptor?: Interceptor;
}
