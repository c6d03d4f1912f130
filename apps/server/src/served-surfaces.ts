import type { Principal } from "@toolpacks/access";
import { errorText } from "@toolpacks/core";
import { SurfaceHolder, type ServedSurface, type SurfaceFor } from "@toolpacks/host";
import { printableText } from "@toolpacks/terminal";
import { accessKey } from "./mount/access-key.ts";
import { buildSurface, mayListsChange } from "./mount/build-surface.ts";
import type { BuiltSurface, Callers, Runtime } from "./mount/runtime.ts";
import { watchLists } from "./mount/watch-lists.ts";

/** Maximum number of open surfaces. Surfaces that are in use may exceed it. */
export const maxSurfaces = 256;

/** What the principals with one access are served. */
interface Entry {
  readonly callers: Callers;
  readonly holder: SurfaceHolder;
  built: BuiltSurface;
  runtime: Runtime;
  /** Why the access cannot be granted any more. Undefined: it is granted. */
  problem?: unknown;
  /** Stops to follow the lists of the entry's own mounting. */
  unfollow: () => void;
}

interface Slot {
  readonly opening: Promise<Entry>;
  /** Undefined while it is being opened. */
  entry?: Entry;
}

interface ServedSurfacesOptions extends Pick<ServedSurface, "useRoots"> {
  /** Whether any surface may be replaced. A surface with lists that change by themselves may always be. */
  readonly mayChange: boolean;
  /** Runs work after all earlier replacements. */
  readonly enqueue: (work: () => Promise<void>) => Promise<void>;
}

/**
 * The surfaces of all principals over one runtime. Principals with the same access share a surface. The least recently used ones are dropped beyond a
 * maximum, with the mountings of their own, and opened again at the next use. None is dropped while it is used or has running calls.
 */
export class ServedSurfaces {
  readonly #options: ServedSurfacesOptions;
  /** By access, the least recently used first. */
  readonly #slots = new Map<string, Slot>();
  #runtime: Runtime;
  /** Stops to follow the lists that all surfaces share. */
  #unfollow: () => void;

  constructor(runtime: Runtime, options: ServedSurfacesOptions) {
    this.#runtime = runtime;
    this.#options = options;
    this.#unfollow = this.#follow(runtime.mounting, () => true);
  }

  readonly surfaceFor: SurfaceFor = async (principal) => {
    const key = scopeOf(this.#callersOf(principal));
    const slot = this.#slots.get(key) ?? this.#openSlot(key, principal);
    // The order of the map is the order of use.
    this.#slots.delete(key);
    this.#slots.set(key, slot);
    const { problem, holder } = await slot.opening;
    if (problem !== undefined) throw problem;
    return holder;
  };

  /** Serves every surface from another runtime. Rejects when a connection keeps its previous surface. */
  async moveTo(next: Runtime): Promise<void> {
    this.#runtime = next;
    this.#unfollow();
    this.#unfollow = this.#follow(next.mounting, () => true);
    await this.#replaceAll(({ runtime }) => runtime !== next);
  }

  /** Follows no lists any more. */
  close(): void {
    this.#unfollow();
    for (const { entry } of this.#slots.values()) entry?.unfollow();
  }

  #callersOf({ id, access }: Principal): Callers {
    return { access, caller: this.#runtime.isPerCaller ? id : undefined };
  }

  #openSlot(key: string, principal: Principal): Slot {
    const slot: Slot = { opening: this.#open(principal) };
    this.#slots.set(key, slot);
    slot.opening.then(
      (entry) => {
        slot.entry = entry;
        this.#dropUnused(entry);
      },
      () => {
        if (this.#slots.get(key) === slot) this.#slots.delete(key);
      },
    );
    return slot;
  }

  async #open(principal: Principal): Promise<Entry> {
    for (;;) {
      const runtime = this.#runtime;
      const callers = this.#callersOf(principal);
      const built = await runtime.build(callers);
      await warnOfUnknownNames(principal, built, runtime);
      // The runtime may have been replaced meanwhile.
      if (runtime !== this.#runtime) continue;
      const { mayChange, useRoots } = this.#options;
      const holder = new SurfaceHolder(built.surface, {
        mayChange: mayChange || mayListsChange(built.surface),
        scope: scopeOf(callers),
        ...(callers.access === undefined && useRoots !== undefined && { useRoots }),
      });
      const entry: Entry = { callers, holder, built, runtime, unfollow: () => {} };
      this.#followOwn(entry);
      return entry;
    }
  }

  #followOwn(entry: Entry): void {
    const { mounting } = entry.built;
    entry.unfollow();
    entry.unfollow = mounting.isFirst ? () => {} : this.#follow(mounting, (one) => one === entry);
  }

  /** Replaces surfaces after changes of lists that they show. */
  #follow(mounting: BuiltSurface["mounting"], isStale: (entry: Entry) => boolean): () => void {
    const runtime = this.#runtime;
    return watchLists(mounting, () => {
      const replaced = this.#options.enqueue(async () => {
        // A reload has replaced the lists since the change.
        if (runtime === this.#runtime) await this.#replaceAll(isStale);
      });
      replaced.catch((error: unknown) => runtime.log.error("a changed list cannot be applied", error));
    });
  }

  async #replaceAll(isStale: (entry: Entry) => boolean): Promise<void> {
    const errors: unknown[] = [];
    // Surfaces that are opened meanwhile are of the current runtime.
    for (const { opening } of this.#slots.values()) {
      const entry = await opening.catch(() => undefined);
      if (entry === undefined || !isStale(entry)) continue;
      await this.#replace(entry).catch((error: unknown) => errors.push(error));
    }
    if (errors.length === 1) throw errors[0];
    if (errors.length > 1) throw new AggregateError(errors, `${errors.length} surfaces keep a previous connection`);
  }

  async #replace(entry: Entry): Promise<void> {
    entry.built = await this.#rebuild(entry);
    entry.runtime = this.#runtime;
    this.#followOwn(entry);
    await entry.holder.replace(entry.built.surface);
  }

  async #rebuild(entry: Entry): Promise<BuiltSurface> {
    const runtime = this.#runtime;
    const { callers, built } = entry;
    if (entry.runtime === runtime) {
      const { access } = callers;
      return { ...built, surface: await buildSurface(built.mounting, { log: runtime.log, access }) };
    }
    delete entry.problem;
    try {
      return await runtime.build(callers);
    } catch (error) {
      // Open connections must not keep rights that the settings no longer allow.
      runtime.log.error(`an access cannot be granted any more: ${errorText(error)}`);
      entry.problem = error;
      return runtime.build({ access: { grants: [] }, caller: undefined });
    }
  }

  /** Drops the least recently used surfaces. @param newest a surface that is about to be used */
  #dropUnused(newest: Entry): void {
    for (const [key, { entry }] of this.#slots) {
      if (this.#slots.size <= maxSurfaces) return;
      if (entry === undefined || entry === newest || isInUse(entry)) continue;
      this.#slots.delete(key);
      entry.unfollow();
      entry.holder.drop();
      void entry.runtime.end(entry.built.mounting);
    }
  }
}

function isInUse({ holder, built: { mounting } }: Entry): boolean {
  return holder.isUsed || (!mounting.isFirst && mounting.calls.running() > 0);
}

async function warnOfUnknownNames({ id, access }: Principal, { mounting }: BuiltSurface, { log }: Runtime) {
  if (access === undefined) return;
  const { unknownNames } = await import("./mount/known-names.ts");
  const problems = await unknownNames(access.grants, mounting);
  if (problems.length > 0) log.warn(`the access of ${printableText(id, 200)}: ${problems.join("; ")}`);
}

/** The same text for callers that share a surface. */
function scopeOf({ access, caller }: Callers): string {
  return `${accessKey(access)}\n${caller ?? ""}`;
}
