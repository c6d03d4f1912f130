import type { SurfaceFor } from "@toolpacks/host";
import type { Runtime } from "./mount/runtime.ts";
import { WorkflowClock } from "./workflow-clock.ts";

interface StartedHost {
  readonly hasOneClient: boolean;
  readonly surfaceFor: SurfaceFor;
}

/** The work of a server after its start: warnings for the operator, and the clock of its workflows. Never rejects. */
export async function afterStart(runtime: Runtime, host: StartedHost): Promise<WorkflowClock> {
  const clock = new WorkflowClock(host.surfaceFor);
  await clock.follow(runtime);
  if (!host.hasOneClient) {
    await warn(runtime).catch((error: unknown) => {
      runtime.log.error("the rights of tokens and scopes could not be checked", error);
    });
  }
  return clock;
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
