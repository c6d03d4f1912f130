import type { HttpHostOptions } from "./http/http-host-options.ts";
import type { RunningHost, SurfaceFor } from "./served-surface.ts";

/** An HTTP host that serves. */
export interface RunningHttpHost extends RunningHost {
  /** The address of the MCP endpoint. */
  readonly url: string;
}

/**
 * Serves many clients over Streamable HTTP, without sessions.
 *
 * @throws ConfigurationError when the address cannot be listened on, or other machines can reach it and there is no authenticator
 */
export async function serveHttp(surfaceFor: SurfaceFor, options: HttpHostOptions): Promise<RunningHttpHost> {
  return (await import("./http/run-http-host.ts")).runHttpHost(surfaceFor, options);
}
