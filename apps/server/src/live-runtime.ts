import { ToolError } from "@toolpacks/core";
import { acceptRoots, type ClientRoots } from "@toolpacks/files";
import type { Settings } from "./config/settings.ts";
import { ServedSurfaces, type SurfaceFor } from "@toolpacks/host";
import { watchConfig } from "@toolpacks/settings";
import type { Runtime } from "./mount/runtime.ts";
import { logBanner } from "./startup-log.ts";

export interface LiveRuntimeOptions {
  /** Creates a runtime from the current config file, in which the client's roots replace missing ones. @throws ConfigurationError */
  readonly create: (roots: ClientRoots | undefined) => Promise<Runtime>;
  /** Whether the host serves one client, whose roots are applied when the settings allow it. */
  readonly hasOneClient: boolean;
}

/**
 * The runtime behind a host. While the host serves, another runtime replaces it after a change of the config file (with `--watch`) or of the client's
 * roots. A change of another server's lists replaces the surfaces that show the server. Replacements run one after another. A replaced runtime
 * finishes its running calls and is then closed. When a new runtime cannot be created, the current one keeps serving.
 */
export class LiveRuntime {
  readonly #create: LiveRuntimeOptions["create"];
  readonly #first: Runtime;
  readonly #surfaces: ServedSurfaces;
  #current: Runtime;
  /** The current runtime, and replaced ones that still have running calls. */
  readonly #open: Set<Runtime>;
  #replacements: Promise<void> = Promise.resolve();
  #unwatch = () => {};
  #roots: ClientRoots | undefined;
  /** The roots in use, as JSON. Undefined when they could not be applied. */
  #usedRoots: string | undefined = JSON.stringify({ accepted: [], refused: [] } satisfies ClientRoots);

  constructor(first: Runtime, { create, hasOneClient }: LiveRuntimeOptions) {
    const { settings } = first;
    const asksForRoots = hasOneClient && mayTakeRoots(settings);
    this.#create = create;
    this.#first = first;
    this.#current = first;
    this.#open = new Set([first]);
    this.#surfaces = new ServedSurfaces(first, {
      mayChange: settings.watch.value || asksForRoots,
      useRoots: asksForRoots ? (uris) => this.#useRoots(uris) : undefined,
      enqueue: (work) => this.#enqueue(work),
    });
  }

  /** Serves each principal the tools that its access grants, in its roots and workspaces. */
  get surfaceFor(): SurfaceFor {
    return this.#surfaces.surfaceFor;
  }

  /** Starts to follow the config file. */
  follow(): void {
    const { settings, log } = this.#first;
    const { file, io, watch } = settings;
    if (watch.value) this.#unwatch = watchConfig({ name: "toolpacks", file, cwd: io.cwd, log }, () => this.reload());
  }

  /** Replaces the runtime by a new one from the current config file. @throws ConfigurationError */
  reload(): Promise<void> {
    return this.#enqueue(async () => {
      const next = await this.#create(this.#roots);
      const previous = this.#current;
      this.#current = next;
      this.#open.add(next);
      await this.#surfaces.moveTo(next);
      void previous.finish().then(() => this.#open.delete(previous));
      logBanner(next);
    });
  }

  /** Finishes the current runtime, and replaced ones that still have running calls. */
  async finish(drainTimeoutMs: number): Promise<void> {
    this.#unwatch();
    this.#surfaces.close();
    await Promise.all([...this.#open].map((one) => one.finish(drainTimeoutMs)));
  }

  #enqueue(replacement: () => Promise<void>): Promise<void> {
    const done = this.#replacements.then(replacement);
    this.#replacements = done.catch(() => {});
    return done;
  }

  async #useRoots(uris: readonly string[]): Promise<void> {
    const { settings, log } = this.#first;
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
}

/** Whether the client is asked for roots: no root is set, and the settings allow it. */
function mayTakeRoots({ roots, clientRoots, facet }: Settings): boolean {
  return clientRoots.value !== false && roots.value.length === 0 && facet.value === undefined;
}
