import type { PrincipalAccess } from "@toolpacks/access";
import { sortedAfterFirst } from "./access-key.ts";
import { planMount } from "./mount-plan.ts";
import { openPlan, type MountContext, type Mounting } from "./open-plan.ts";

/** The context that is the same for all mountings. */
type MountingsContext = Omit<MountContext, "caller" | "workspaces" | "shared">;

/** Callers that use one mounting. */
export interface Callers {
  /** What they may use. Undefined: everything that the settings allow. */
  readonly access: PrincipalAccess | undefined;
  /** Id of the principal, if the mounting has servers of its own for it. Undefined: servers of any principal. */
  readonly caller: string | undefined;
}

/**
 * The mountings of one runtime. Packs are bound to a store and to roots, so callers with other roots or other workspaces have another mounting. All
 * share the connection to the store and the other servers that are not the caller's own.
 */
export class Mountings {
  readonly #first: Mounting;
  readonly #context: MountingsContext;
  readonly #others = new Map<string, Promise<Mounting>>();
  /** The mountings of `#others` that are open, with their keys. */
  readonly #opened = new Map<Mounting, string>();

  /** @param first the mounting of the settings */
  constructor(first: Mounting, context: MountingsContext) {
    this.#first = first;
    this.#context = context;
  }

  /** Whether principals have servers of their own, and so mountings of their own. */
  get arePerCaller(): boolean {
    return this.#first.plan.servers.some(({ isPerCaller }) => isPerCaller);
  }

  /** The mounting for these callers, which is opened at the first use. @throws ConfigurationError for a root that cannot be granted */
  async get({ access, caller = "" }: Callers): Promise<Mounting> {
    const { roots, workspaces } = access ?? {};
    if (roots === undefined && workspaces === undefined && caller === "") return this.#first;
    const key = JSON.stringify([roots ?? null, sortedAfterFirst(workspaces), caller]);
    const known = this.#others.get(key);
    if (known !== undefined) return known;
    const opening = this.#open({ roots, workspaces }, caller);
    this.#others.set(key, opening);
    opening.then(
      (mounting) => this.#opened.set(mounting, key),
      () => this.#others.delete(key),
    );
    return opening;
  }

  /** The number of open mountings. */
  get count(): number {
    return this.#others.size + 1;
  }

  isOpen(mounting: Mounting): boolean {
    return mounting === this.#first || this.#opened.has(mounting);
  }

  /** The open mountings without the one of the settings. */
  get others(): readonly Mounting[] {
    return [...this.#opened.keys()];
  }

  /** Ends a mounting. The next use opens a new one. */
  async end(mounting: Mounting): Promise<void> {
    this.#others.delete(this.#opened.get(mounting) ?? "");
    this.#opened.delete(mounting);
    await Promise.all([mounting.endRemotes(), mounting.endStores()]);
  }

  /** Ends other servers of all mountings. */
  async endRemotes(): Promise<void> {
    await this.#all((mounting) => mounting.endRemotes());
  }

  /** Writes what the mountings have queued. */
  async endStores(): Promise<void> {
    await this.#all((mounting) => mounting.endStores());
  }

  async #open(access: Pick<PrincipalAccess, "roots" | "workspaces">, caller: string): Promise<Mounting> {
    const { narrowSettings } = await import("./narrow-settings.ts");
    const settings = narrowSettings(this.#context.settings, access);
    const { workspaces } = access;
    const { shared } = this.#first;
    return openPlan(planMount(settings), { ...this.#context, settings, caller, workspaces, shared });
  }

  async #all(end: (mounting: Mounting) => Promise<void>): Promise<void> {
    const others = await Promise.allSettled(this.#others.values());
    const open = others.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    await Promise.allSettled([this.#first, ...open].map(end));
  }
}
