import { ToolError } from "@toolpacks/core";
import type { ClientRoots } from "./accept-roots.ts";
import type { Settings } from "./config/settings.ts";
import type { SurfaceFor } from "./hosts/host.ts";
import { replaceableSurface, type ReplaceableSurface } from "./hosts/replaceable-surface.ts";
import type { Runtime } from "./mount/runtime.ts";
import { logBanner } from "./startup-log.ts";

export interface LiveRuntimeOptions {
  /** Creates a runtime from the current config file, in which the client's roots replace missing ones. @throws ConfigurationError */
  readonly create: (roots: ClientRoots | undefined) => Promise<Runtime>;
  /** Whether the host serves one client, whose roots are applied when the settings allow it. */
  readonly hasOneClient: boolean;
}

/**
 * The runtime behind a host. While the host serves, another runtime replaces it after a change of the config file (with `--watch`), of the client's
 * roots, or of the lists of another server. Replacements run one after another. A replaced runtime finishes its running calls and is then closed.
 * When a new runtime cannot be created, the current one keeps serving.
 */
export class LiveRuntime {
  readonly #create: LiveRuntimeOptions["create"];
  readonly #first: Runtime;
  readonly #surface: ReplaceableSurface;
  #current: Runtime;
  /** The current runtime, and replaced ones that still have running calls. */
  readonly #open: Set<Runtime>;
  #replacements: Promise<void> = Promise.resolve();
  #unfollow = () => {};
  #roots: ClientRoots | undefined;
  /** The roots in use, as JSON. Undefined when they could not be applied. */
  #usedRoots: string | undefined = JSON.stringify({ accepted: [], refused: [] } satisfies ClientRoots);

  constructor(first: Runtime, { create, hasOneClient }: LiveRuntimeOptions) {
    const { settings, surface } = first;
    const asksForRoots = hasOneClient && mayTakeRoots(settings);
    this.#create = create;
    this.#first = first;
    this.#current = first;
    this.#open = new Set([first]);
    this.#surface = replaceableSurface(surface, {
      mayChange: settings.watch.value || asksForRoots || hasRemotes(first),
      ...(asksForRoots && { useRoots: (uris) => this.#useRoots(uris) }),
    });
  }

  /** The local principal has all rights of the settings. Other principals have no rights. */
  readonly surfaceFor: SurfaceFor = async (principal) => {
    if (principal.access !== undefined) throw new Error(`the principal ${JSON.stringify(principal.id)} has no rights`);
    return this.#surface.served;
  };

  /** Starts to follow the config file and the lists of other servers. */
  async follow(): Promise<void> {
    this.#followRemotes();
    if (!this.#first.settings.watch.value) return;
    const { watchConfig } = await import("./watch-config.ts");
    watchConfig(this.#first, () => this.reload());
  }

  /** Replaces the runtime by a new one from the current config file. @throws ConfigurationError */
  reload(): Promise<void> {
    return this.#enqueue(async () => {
      const next = await this.#create(this.#roots);
      const previous = this.#current;
      await this.#replace(next);
      void previous.finish().then(() => this.#open.delete(previous));
      this.#followRemotes();
      logBanner(next);
    });
  }

  /** Finishes the current runtime, and replaced ones that still have running calls. */
  async finish(drainTimeoutMs: number): Promise<void> {
    await Promise.all([...this.#open].map((one) => one.finish(drainTimeoutMs)));
  }

  #enqueue(replacement: () => Promise<void>): Promise<void> {
    const done = this.#replacements.then(replacement);
    this.#replacements = done.catch(() => {});
    return done;
  }

  async #replace(next: Runtime): Promise<void> {
    // Both runtimes share the packs, which are closed once.
    if (next.mounting === this.#current.mounting) this.#open.delete(this.#current);
    this.#current = next;
    this.#open.add(next);
    await this.#surface.replace(next.surface);
  }

  async #useRoots(uris: readonly string[]): Promise<void> {
    const { settings, log } = this.#first;
    const { acceptRoots } = await import("./accept-roots.ts");
    const allowed = settings.clientRoots.value;
    const roots = await acceptRoots(uris, typeof allowed === "boolean" ? undefined : allowed);
    this.#roots = roots;
    const json = JSON.stringify(roots);
    if (json === this.#usedRoots) return;
    for (const refused of roots.refused) log.warn(`the client's root ${refused}`);
    try {
      await this.reload();
    } catch (error) {
      log.error("the client's roots cannot be used", error);
      this.#usedRoots = undefined;
      // Calls must not run in the workspace of other roots.
      throw new ToolError("unavailable", `the client's roots cannot be used: ${String(error)}`);
    }
    this.#usedRoots = json;
  }

  #followRemotes(): void {
    this.#unfollow();
    const { mounting, log } = this.#current;
    this.#unfollow = watchRemotes(this.#current, () => {
      const rebuilt = this.#enqueue(async () => {
        const before = this.#current;
        // A reload has replaced the packs since the change.
        if (before.mounting !== mounting) return;
        await this.#replace(await before.rebuild());
      });
      rebuilt.catch((error: unknown) => log.error("the changed list of another server cannot be applied", error));
    });
  }
}

/** Whether the client is asked for roots: no root is set, and the settings allow it. */
function mayTakeRoots({ roots, clientRoots, facet }: Settings): boolean {
  return clientRoots.value !== false && roots.value.length === 0 && facet.value === undefined;
}

function hasRemotes({ mounting }: Runtime): boolean {
  return mounting.packs.some(({ remote }) => remote !== undefined);
}

/** Debounce time of changes, in ms. Several servers that start at once cause one update. */
const debounceMs = 200;

/** Watches the tools, resources and prompts of other servers. Returns a function that stops it. */
function watchRemotes({ mounting }: Runtime, onChange: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const changed = () => {
    clearTimeout(timer);
    timer = setTimeout(onChange, debounceMs);
  };
  const stops = mounting.packs.flatMap(({ remote }) => remote?.watch(changed) ?? []);
  return () => {
    clearTimeout(timer);
    for (const stop of stops) stop();
  };
}
