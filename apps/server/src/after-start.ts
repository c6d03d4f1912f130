import { errorText } from "@toolpacks/core";
import { localPrincipal, type SurfaceFor } from "@toolpacks/host";
import { startClockWhenNeeded, type Clock } from "@toolpacks/workflows/clock";
import type { Runtime } from "./mount/runtime.ts";
import { storeExists } from "./stores/open-store.ts";

interface StartedHost {
  readonly hasOneClient: boolean;
  readonly surfaceFor: SurfaceFor;
}

/** The clock of a server's workflows. */
export interface WorkflowClock {
  /** Serves the runs of a runtime, in place of those of the previous one. Undefined: none. */
  follow(runtime: Runtime | undefined): Promise<void>;
}

/** The work of a server after its start: warnings for the operator, and the clock of its workflows. Never rejects. */
export async function afterStart(runtime: Runtime, { hasOneClient, surfaceFor }: StartedHost): Promise<WorkflowClock> {
  let clock = startClock(runtime, surfaceFor);
  if (!hasOneClient) {
    await warn(runtime).catch((error: unknown) => {
      runtime.log.error("the rights of tokens and scopes could not be checked", error);
    });
  }
  return {
    async follow(next) {
      const previous = clock;
      clock = next && startClock(next, surfaceFor);
      await previous?.stop();
    },
  };
}

function startClock(
  { mounting, settings, store, log }: Runtime,
  surfaceFor: SurfaceFor,
): Pick<Clock, "stop"> | undefined {
  const { packs, plan } = mounting;
  // A read-only server runs no workflow.
  if (plan.readOnly || packs.every(({ name }) => name !== "workflows")) return undefined;
  return startClockWhenNeeded({
    store: mounting.store,
    // The server's own store gives the folder no workspace.
    everyWorkspace: () => (storeExists(settings.store) ? store.internal() : undefined),
    sources: settings.workflows,
    kinds: () => packs.flatMap((pack) => pack.kinds),
    onError: (message, cause) => log.warn(cause === undefined ? message : `${message}: ${errorText(cause)}`),
    call: async (id, args) => {
      const { principalWithId } = await import("@toolpacks/access");
      const principal = id === "" ? localPrincipal : await principalWithId(id, settings.http.value.tokens);
      if (principal === undefined) return undefined;
      const surface = (await surfaceFor(principal)).current;
      return surface.call({ name: "workflow_run", args, context: { principal: id } });
    },
  });
}

/** Warns of rights that this server cannot grant, and of servers whose credentials all authenticated callers use. */
async function warn({ mounting, settings, log }: Runtime): Promise<void> {
  const { value: http } = settings.http;
  if (http.tokens === undefined && http.oauth === undefined) return;
  const { namedAccesses } = await import("@toolpacks/access");
  const { accessNotes } = await import("./mount/known-names.ts");
  for (const note of await accessNotes(await namedAccesses(http), mounting)) log.warn(note);
  if (mounting.upstreams.length === 0) return;
  const { sharedCredentialWarnings } = await import("@toolpacks/upstream/servers");
  for (const warning of await sharedCredentialWarnings(mounting.plan.servers, mounting.upstreams)) log.warn(warning);
}
