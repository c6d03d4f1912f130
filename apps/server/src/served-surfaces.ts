import { errorText } from "@toolpacks/core";
import { printableText } from "@toolpacks/terminal";
import type { Surface } from "@toolpacks/surface";
import { accessKey } from "./mount/access-key.ts";
import type { Principal, PrincipalAccess } from "@toolpacks/access";
import {
  hasChangingLists,
  replaceableSurface,
  type ReplaceableSurface,
  type ServedSurface,
  type SurfaceFor,
} from "@toolpacks/host";
import type { Callers } from "./mount/mountings.ts";
import type { Mounting } from "./mount/open-plan.ts";
import type { BuiltSurface, Runtime } from "./mount/runtime.ts";

/** Maximum number of cached surfaces. Surfaces that are in use may exceed it. */
export const maxSurfaces = 1_000;
/** Maximum number of open mountings. Mountings that are in use may exceed it. */
export const maxMountings = 32;
/** Maximum number of accesses whose unknown names are remembered as logged. */
const maxChecked = 10_000;

/** The surface of principals with the same access. */
interface Entry extends Callers {
  readonly replaceable: ReplaceableSurface;
  /** The newest surface. */
  surface: Surface;
  mounting: Mounting;
  runtime: Runtime;
  /** Why the access cannot be granted any more. Undefined: it is granted. */
  problem?: unknown;
}

interface Slot {
  readonly opening: Promise<Entry>;
  /** Undefined while it is being opened. */
  entry?: Entry;
}

export interface ServedSurfacesOptions extends Pick<ServedSurface, "useRoots"> {
  /** Whether any surface may be replaced. A surface with lists that change by themselves may always be. */
  readonly mayChange: boolean;
  /** Called with the mounting of each surface that is opened. */
  readonly onMounting: (mounting: Mounting) => void;
  /** Called with each mounting that has ended before the runtime. */
  readonly onEnd: (mounting: Mounting) => void;
}

/**
 * The surfaces of all principals over one runtime. Principals with the same access share a surface. The least recently used surfaces and mountings
 * are dropped beyond a maximum, and opened again at the next use. None is dropped while it is in use or has running calls.
 */
export class ServedSurfaces {
  readonly #options: ServedSurfacesOptions;
  /** By access, the least recently used first. */
  readonly #slots = new Map<string, Slot>();
  /** Accesses whose unknown names have been logged. */
  readonly #checked = new Set<string>();
  #runtime: Runtime;

  constructor(runtime: Runtime, options: ServedSurfacesOptions) {
    this.#runtime = runtime;
    this.#options = options;
  }

  readonly surfaceFor: SurfaceFor = async (principal) => {
    const key = this.#keyOf(principal);
    const slot = this.#slots.get(key) ?? this.#openSlot(key, principal);
    // The order of the map is the order of use.
    this.#slots.delete(key);
    this.#slots.set(key, slot);
    const { problem, replaceable } = await slot.opening;
    if (problem !== undefined) throw problem;
    return replaceable.served;
  };

  /** The number of cached surfaces. */
  get count(): number {
    return this.#slots.size;
  }

  /** Serves every surface from another runtime. Rejects when a connection keeps its previous surface. */
  async moveTo(next: Runtime): Promise<void> {
    this.#runtime = next;
    this.#checked.clear();
    await this.#rebuild(({ runtime }) => runtime !== next);
  }

  /** Builds the surfaces again that show one of these packs of a mounting, after a change of the packs' lists. */
  async rebuild(mounting: Mounting, packs: readonly string[]): Promise<void> {
    const { shared, isFirst } = mounting;
    await this.#rebuild(
      (entry) =>
        (entry.mounting === mounting || (isFirst && entry.mounting.shared === shared)) &&
        entry.surface.catalog.packs.some(({ name }) => packs.includes(name)),
    );
  }

  #keyOf({ id, access }: Principal): string {
    return scopeOf(access, this.#runtime.mountings.arePerCaller ? id : undefined);
  }

  #openSlot(key: string, principal: Principal): Slot {
    const slot: Slot = { opening: this.#open(principal, (entry) => (slot.entry = entry)) };
    const failed = () => {
      if (this.#slots.get(key) === slot) this.#slots.delete(key);
    };
    slot.opening.then((entry) => this.#dropUnused(entry)).catch(failed);
    return slot;
  }

  async #open({ id, access }: Principal, onOpen: (entry: Entry) => void): Promise<Entry> {
    for (;;) {
      const runtime = this.#runtime;
      const callers: Callers = { access, caller: runtime.mountings.arePerCaller ? id : undefined };
      const { surface, mounting } = await this.#firstBuild(callers, runtime);
      await this.#warnOfUnknownNames({ id, access }, runtime);
      // The runtime may have been replaced meanwhile, or the mounting ended.
      if (runtime !== this.#runtime || !runtime.mountings.isOpen(mounting)) continue;
      const { mayChange, useRoots } = this.#options;
      const replaceable = replaceableSurface(surface, {
        mayChange: mayChange || hasChangingLists(surface),
        scope: scopeOf(access, callers.caller),
        ...(access === undefined && useRoots !== undefined && { useRoots }),
      });
      const entry: Entry = { ...callers, surface, mounting, runtime, replaceable };
      onOpen(entry);
      return entry;
    }
  }

  /** The surface of callers over another runtime, which has a surface for the local user already. */
  async #firstBuild(callers: Callers, runtime: Runtime): Promise<BuiltSurface> {
    const isLocal = callers.access === undefined && (callers.caller ?? "") === "";
    const built = isLocal ? runtime : await runtime.build(callers);
    this.#options.onMounting(built.mounting);
    return built;
  }

  async #rebuild(isStale: (entry: Entry) => boolean): Promise<void> {
    const errors: unknown[] = [];
    // Surfaces that are opened meanwhile are of the new runtime.
    for (const { opening } of this.#slots.values()) {
      const entry = await opening.catch(() => undefined);
      if (entry === undefined || !isStale(entry)) continue;
      await this.#replace(entry).catch((error: unknown) => errors.push(error));
    }
    if (errors.length === 1) throw errors[0];
    if (errors.length > 1) throw new AggregateError(errors, `${errors.length} surfaces keep a previous connection`);
  }

  async #replace(entry: Entry): Promise<void> {
    const runtime = this.#runtime;
    const { surface, mounting } = await this.#nextBuild(entry, runtime);
    Object.assign(entry, { surface, mounting, runtime } satisfies Partial<Entry>);
    await entry.replaceable.replace(surface);
  }

  async #nextBuild(entry: Entry, runtime: Runtime): Promise<BuiltSurface> {
    delete entry.problem;
    try {
      if (entry.runtime !== runtime) return await this.#firstBuild(entry, runtime);
      return await runtime.build(entry);
    } catch (error) {
      // Open connections must not keep rights that the settings no longer allow.
      runtime.log.error(`an access cannot be granted any more: ${errorText(error)}`);
      entry.problem = error;
      return runtime.build({ access: { grants: [] }, caller: undefined });
    }
  }

  async #warnOfUnknownNames({ id, access }: Principal, { mounting, log }: Runtime): Promise<void> {
    if (access === undefined) return;
    const key = accessKey(access);
    if (this.#checked.has(key)) return;
    if (this.#checked.size > maxChecked) this.#checked.clear();
    this.#checked.add(key);
    const { unknownNames } = await import("./mount/known-names.ts");
    const problems = await unknownNames(access.grants, mounting);
    if (problems.length > 0) log.warn(`the access of ${printableText(id, 200)}: ${problems.join("; ")}`);
  }

  /** Drops the least recently used surfaces, and ends the least recently used mountings. @param newest a surface that is about to be used */
  async #dropUnused(newest: Entry): Promise<void> {
    for (const [key, { entry }] of this.#slots) {
      if (this.#slots.size <= maxSurfaces) break;
      if (entry !== undefined && entry !== newest && !entry.replaceable.isInUse()) this.#drop(key, entry);
    }
    const { mountings } = this.#runtime;
    if (mountings.count <= maxMountings) return;
    for (const mounting of this.#byLastUse(mountings.others)) {
      if (mountings.count <= maxMountings) break;
      if (mounting === newest.mounting || this.#isInUse(mounting)) continue;
      for (const [key, { entry }] of this.#slots) if (entry?.mounting === mounting) this.#drop(key, entry);
      this.#options.onEnd(mounting);
      await mountings.end(mounting);
    }
  }

  #byLastUse(open: Iterable<Mounting>): readonly Mounting[] {
    const lastUse = new Map([...this.#slots.values()].map(({ entry }, at) => [entry?.mounting, at]));
    return [...open].toSorted((a, b) => (lastUse.get(a) ?? -1) - (lastUse.get(b) ?? -1));
  }

  #isInUse(mounting: Mounting): boolean {
    if (mounting.calls.running() > 0) return true;
    return [...this.#slots.values()].some(({ entry }) => entry?.mounting === mounting && entry.replaceable.isInUse());
  }

  #drop(key: string, { replaceable }: Entry): void {
    this.#slots.delete(key);
    replaceable.drop();
  }
}

/** The same text for callers that share a surface. */
function scopeOf(access: PrincipalAccess | undefined, caller: string | undefined): string {
  return `${accessKey(access)}\n${caller ?? ""}`;
}
