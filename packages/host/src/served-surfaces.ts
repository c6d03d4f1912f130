import type { Principal, PrincipalAccess } from "@toolpacks/access";
import { errorText, rightsKey, type FullCatalog, type PackLog } from "@toolpacks/core";
import { createSurface, type Surface } from "@toolpacks/surface";
import type { ServedSurface, SurfaceFor } from "./served-surface.ts";
import { SurfaceHolder } from "./surface-holder.ts";

/** Maximum number of open surfaces. Surfaces that are in use may exceed it. */
const maxSurfaces = 256;

/** Debounce time of changes of lists, in ms. Several servers that start at once cause one update. */
const debounceMs = 200;

/** Callers that share a surface. */
export interface Callers {
  /** What they may use. Undefined: everything. */
  readonly access: PrincipalAccess | undefined;
  /** Id of the principal, if it has a surface of its own. Undefined: principals with this access share the surface. */
  readonly caller: string | undefined;
}

/** A surface for callers, and what it is built on. */
export interface BuiltSurface {
  readonly surface: Surface;
  /** Builds the surface again, after a change of its lists. */
  rebuild(): Promise<Surface>;
  /** What only this surface uses. Absent: it has nothing of its own. */
  readonly own?: OwnParts | undefined;
}

/** The parts of a surface that no other surface uses. */
export interface OwnParts {
  /** Whether calls run. The parts are not ended before. */
  readonly isBusy: () => boolean;
  /** Watches the lists of these parts. Returns a function that stops it. */
  readonly watch: (changed: () => void) => () => void;
  readonly end: () => Promise<void>;
}

/** Builds surfaces for callers. */
export interface SurfaceSource {
  /** Whether each principal has a surface of its own. */
  readonly isPerCaller?: boolean;
  /** Default: no log. */
  readonly log?: PackLog;
  /** @throws ConfigurationError when the access cannot be granted */
  readonly build: (callers: Callers) => Promise<BuiltSurface>;
  /** Watches the lists that all surfaces share. Absent: they never change. */
  readonly watch?: (changed: () => void) => () => void;
}

interface Entry {
  readonly callers: Callers;
  readonly holder: SurfaceHolder;
  built: BuiltSurface;
  source: SurfaceSource;
  /** Why the access cannot be granted any more. Undefined: it is granted. */
  problem?: unknown;
  /** Stops to follow the lists of the entry's own parts. */
  unfollow: () => void;
}

interface Slot {
  readonly opening: Promise<Entry>;
  /** Undefined while it is being opened. */
  entry?: Entry;
}

interface ServedSurfacesOptions extends Pick<ServedSurface, "useRoots"> {
  /** Whether any surface may be replaced. A surface with lists that change by themselves may always be. Default false. */
  readonly mayChange?: boolean;
  /** Runs work after all earlier replacements. Default: at once. */
  readonly enqueue?: (work: () => Promise<void>) => Promise<void>;
}

/**
 * The surfaces of all principals over one source. Principals with the same access share a surface. The least recently used ones are dropped beyond a
 * maximum, with their own parts, and opened again at the next use. None is dropped while it is used or has running calls.
 */
export class ServedSurfaces {
  readonly #options: ServedSurfacesOptions;
  /** By access, the least recently used first. */
  readonly #slots = new Map<string, Slot>();
  #source: SurfaceSource;
  /** Stops to follow the lists that all surfaces share. */
  #unfollow: () => void;

  constructor(source: SurfaceSource, options: ServedSurfacesOptions = {}) {
    this.#source = source;
    this.#options = options;
    this.#unfollow = this.#follow(source.watch, () => true);
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

  /** Serves every surface from another source. Rejects when a connection keeps its previous surface. */
  async moveTo(next: SurfaceSource): Promise<void> {
    this.#source = next;
    this.#unfollow();
    this.#unfollow = this.#follow(next.watch, () => true);
    await this.#replaceAll(({ source }) => source !== next);
  }

  /** Follows no lists any more. */
  close(): void {
    this.#unfollow();
    for (const { entry } of this.#slots.values()) entry?.unfollow();
  }

  #callersOf({ id, access }: Principal): Callers {
    return { access, caller: this.#source.isPerCaller === true ? id : undefined };
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
      const source = this.#source;
      const callers = this.#callersOf(principal);
      const built = await source.build(callers);
      // The source may have been replaced meanwhile.
      if (source !== this.#source) continue;
      const { mayChange = false, useRoots } = this.#options;
      const holder = new SurfaceHolder(built.surface, {
        mayChange: mayChange || mayListsChange(built.surface),
        scope: scopeOf(callers),
        useRoots: callers.access === undefined ? useRoots : undefined,
      });
      const entry: Entry = { callers, holder, built, source, unfollow: () => {} };
      this.#followOwn(entry);
      return entry;
    }
  }

  #followOwn(entry: Entry): void {
    entry.unfollow();
    entry.unfollow = this.#follow(entry.built.own?.watch, (one) => one === entry);
  }

  /** Replaces surfaces after changes of lists that they show. */
  #follow(watch: SurfaceSource["watch"], isStale: (entry: Entry) => boolean): () => void {
    const source = this.#source;
    const { enqueue = (work) => work() } = this.#options;
    let timer: NodeJS.Timeout | undefined;
    const replace = async () => {
      // A reload has replaced the lists since the change.
      if (source === this.#source) await this.#replaceAll(isStale);
    };
    const stop = watch?.(() => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        enqueue(replace).catch((error: unknown) => source.log?.error("a changed list cannot be applied", error));
      }, debounceMs);
    });
    return () => {
      clearTimeout(timer);
      stop?.();
    };
  }

  async #replaceAll(isStale: (entry: Entry) => boolean): Promise<void> {
    const errors: unknown[] = [];
    // Surfaces that are opened meanwhile are of the current source.
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
    entry.source = this.#source;
    this.#followOwn(entry);
    await entry.holder.replace(entry.built.surface);
  }

  async #rebuild(entry: Entry): Promise<BuiltSurface> {
    const source = this.#source;
    const { callers, built } = entry;
    if (entry.source === source) return { ...built, surface: await built.rebuild() };
    delete entry.problem;
    try {
      return await source.build(callers);
    } catch (error) {
      // Open connections must not keep rights that the settings no longer allow.
      source.log?.error(`an access cannot be granted any more: ${errorText(error)}`);
      entry.problem = error;
      return source.build({ access: { grants: [] }, caller: undefined });
    }
  }

  /** Drops the least recently used surfaces. @param newest a surface that is about to be used */
  #dropUnused(newest: Entry): void {
    for (const [key, { entry }] of this.#slots) {
      if (this.#slots.size <= maxSurfaces) return;
      if (entry === undefined || entry === newest || entry.holder.isUsed || entry.built.own?.isBusy() === true)
        continue;
      this.#slots.delete(key);
      entry.unfollow();
      entry.holder.drop();
      void entry.built.own?.end();
    }
  }
}

/** Serves each principal what its access grants of a catalog that never changes. Principals with the same access share a surface. */
export function surfacesOf(catalog: FullCatalog): SurfaceFor {
  const build = async ({ access }: Callers): Promise<BuiltSurface> => {
    const create = () => createSurface({ catalog, rights: { grants: access?.grants } });
    return { surface: await create(), rebuild: create };
  };
  return new ServedSurfaces({ build }).surfaceFor;
}

/** Whether lists change while the settings stay: those of another server, and prompts of a store. */
function mayListsChange({ catalog }: Surface): boolean {
  return catalog.packs.some(({ remote, promptSource }) => remote !== undefined || promptSource !== undefined);
}

/** The same text for callers that share a surface. */
function scopeOf({ access, caller = "" }: Callers): string {
  if (access === undefined) return `\n${caller}`;
  // The first workspace has a meaning of its own.
  const [own, ...others] = new Set(access.workspaces);
  const workspaces = own === undefined ? null : [own, ...others.toSorted()];
  return `${JSON.stringify([rightsKey({ grants: access.grants }), access.roots ?? null, workspaces])}\n${caller}`;
}
