import type { CallCount, CallObserver, FullCatalog, Interceptor, Pack, Store, Withheld } from "@toolpacks/core";
import type { ServerRelay } from "@toolpacks/relay/server";
import type { UpstreamPack } from "@toolpacks/upstream";
import type { Settings } from "../config/settings.ts";
import type { LeftOut, MountPlan } from "./mount-plan.ts";
import type { SharedParts } from "./open-shared.ts";

/** An opened mount plan: everything that surfaces are built on. */
export interface Mounting {
  readonly plan: MountPlan;
  readonly settings: Settings;
  /** Store of the packs' records. */
  readonly store: Store;
  readonly packs: readonly Pack[];
  /** The packs that are other servers. */
  readonly upstreams: readonly UpstreamPack[];
  readonly leftOut: readonly LeftOut[];
  /** Problems of packs that are left out, and in the blocks of other servers. */
  readonly problems: readonly string[];
  readonly withheld: readonly Withheld[];
  /** Log, count and record every call, outermost first. */
  readonly observers: readonly CallObserver[];
  /** Run around every call of a pack's tool, inside the relay, outermost first. */
  readonly interceptors: readonly Interceptor[];
  /** Replaces large results by handles. Undefined: off. */
  readonly relay: ServerRelay | undefined;
  /** What this mounting shares with other mountings of the process. */
  readonly shared: SharedParts;
  /** Whether it opened the shared parts, and ends them. */
  readonly isFirst: boolean;
  /** The catalog of the packs, which all its surfaces share. */
  readonly catalog: FullCatalog;
  /** The same catalog with the pack of the relay, for surfaces that are chosen later. */
  readonly relayedCatalog: () => FullCatalog;
  /** The names in `expose` and `deny`, which are validated once. @throws ConfigurationError */
  readonly policy: () => Promise<PolicyNames>;
  /** The running calls of all its surfaces. */
  readonly calls: CallCount;
  /** Watches the lists of the other servers that it opened, and the prompts of its packs. Returns a function that stops it. */
  watch(changed: () => void): () => void;
  /** Ends every other server that was started or connected for this mounting. The next use starts it again. */
  endRemotes(): Promise<void>;
  /** Writes what is queued. Calls still work afterwards, but leave no traces. */
  endStores(): Promise<void>;
}

/** The validated names in `expose` and `deny`. */
export interface PolicyNames {
  /** Undefined: the surface's default. */
  readonly expose: readonly string[] | undefined;
  readonly deny: readonly string[];
}
