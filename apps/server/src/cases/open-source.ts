import { openBoxed, packClient, simulated, type Boxing, type OpenTools } from "@toolpacks/cases";
import { renderFailure, ToolError } from "@toolpacks/core";
import { ConfigurationError } from "../configuration-error.ts";

/** Where tools under test come from. */
export interface ToolSource {
  /** Opens them anew: no handle, and no file of the simulated drive, is known from before. */
  readonly open: () => Promise<OpenTools>;
  close(): Promise<void>;
}

/**
 * The tools of a server, which is started or connected to once; without one, the simulated tools.
 *
 * @throws ConfigurationError when the server is none or cannot be reached
 */
export async function openSource(server: string | undefined, boxing: Boxing): Promise<ToolSource> {
  if (server === undefined) {
    return { open: () => openBoxed(packClient(simulated()), boxing), close: async () => {} };
  }
  const { connectTo } = await import("./connect-to.ts");
  try {
    const connected = await connectTo(server);
    return { open: () => openBoxed(connected.client, boxing), close: () => connected.close() };
  } catch (error) {
    throw ToolError.is(error) ? new ConfigurationError(`--server: ${renderFailure(error)}`) : error;
  }
}
