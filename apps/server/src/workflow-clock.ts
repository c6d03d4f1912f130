import { errorText } from "@toolpacks/core";
import type { Clock } from "@toolpacks/workflows/clock";
import { localPrincipal, type SurfaceFor } from "@toolpacks/host";
import type { Runtime } from "./mount/runtime.ts";

/** Delay before the first look at the store, in ms. The first requests are answered before. */
const firstLookMs = 1_000;
/** Interval of looks for runs that other processes have begun, while there is no clock, in ms. */
const lookAgainMs = 60_000;
/** Delay after a run of this process has begun to wait, in ms. Its record is written then. */
const ownRunMs = 50;

/**
 * The clock of a server's workflows. It starts when a workflow has `on`, or a run waits; until then, the server only looks at the store once a minute, if the
 * store exists.
 */
export class WorkflowClock {
  readonly #surfaceFor: SurfaceFor;
  #runtime: Runtime | undefined;
  #clock: Promise<Clock> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #stopListening = () => {};

  constructor(surfaceFor: SurfaceFor) {
    this.#surfaceFor = surfaceFor;
  }

  /** Serves the runs of a runtime, in place of those of the previous one. */
  async follow(runtime: Runtime): Promise<void> {
    await this.stop();
    const { packs, plan } = runtime.mounting;
    // A read-only server runs no workflow.
    if (plan.readOnly || packs.every(({ name }) => name !== "workflows")) return;
    this.#runtime = runtime;
    this.#lookLater(runtime, firstLookMs);
  }

  /** Begins no further run. Runs in progress are calls of the runtime, which waits for them. */
  async stop(): Promise<void> {
    this.#runtime = undefined;
    clearTimeout(this.#timer);
    this.#stopListening();
    const clock = this.#clock;
    this.#clock = undefined;
    await (await clock?.catch(() => undefined))?.stop();
  }

  #lookLater(runtime: Runtime, ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#look(runtime).catch((error: unknown) => {
        runtime.log.debug(`runs of workflows that wait could not be read: ${errorText(error)}`);
        if (this.#runtime === runtime) this.#lookLater(runtime, lookAgainMs);
      });
    }, ms).unref();
  }

  async #look(runtime: Runtime): Promise<void> {
    const [{ hasWakeups, onWakeup }, { storeExists }] = await Promise.all([
      import("@toolpacks/workflows/clock"),
      import("./stores/open-store.ts"),
    ]);
    const { settings, store } = runtime;
    this.#stopListening();
    this.#stopListening = onWakeup(() => {
      if (this.#clock === undefined && this.#runtime === runtime) this.#lookLater(runtime, ownRunMs);
    });
    // The server's own store gives the folder no workspace.
    const hasTriggers = Object.values(settings.workflows).some(({ on }) => on !== undefined);
    const isNeeded = hasTriggers || (storeExists(settings.store) && (await hasWakeups(store.internal())));
    if (this.#runtime !== runtime || this.#clock !== undefined) return;
    if (isNeeded) this.#clock = this.#start(runtime);
    else this.#lookLater(runtime, lookAgainMs);
  }

  async #start({ mounting, settings, log }: Runtime): Promise<Clock> {
    const { startClock } = await import("@toolpacks/workflows/clock");
    return startClock({
      store: mounting.store,
      sources: settings.workflows,
      kinds: () => mounting.packs.flatMap((pack) => pack.kinds),
      onError: (message, cause) => log.warn(cause === undefined ? message : `${message}: ${errorText(cause)}`),
      call: async (id, args) => {
        const { principalWithId } = await import("@toolpacks/access");
        const principal = id === "" ? localPrincipal : await principalWithId(id, settings.http.value.tokens);
        if (principal === undefined) return undefined;
        const surface = (await this.#surfaceFor(principal)).current;
        return surface.call({ name: "workflow_run", args, context: { principal: id } });
      },
    });
  }
}
