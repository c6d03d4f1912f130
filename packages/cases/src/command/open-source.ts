import { renderFailure, ToolError } from "@toolpacks/core";
import { CaseError } from "../case-error.ts";
import { openBoxed, type Boxing } from "../open-boxed.ts";
import type { OpenTools } from "../open-tools.ts";
import { simulated } from "../simulated/simulated.ts";
import { packClient } from "../tool-client.ts";
import { connectServerUnderTest, type ServerFlags } from "./server-under-test.ts";

/** The source of the tools under test. */
export interface ToolSource {
  /** Opens the tools for one conversation, without handles and simulated files of earlier conversations. */
  readonly open: () => Promise<OpenTools>;
  close(): Promise<void>;
}

/**
 * The tools of a server, which is started or connected to once; the simulated tools when the flags name no server.
 *
 * @throws CaseError when the flags are wrong or the server cannot be reached
 */
export async function openSource(flags: ServerFlags, boxing: Boxing): Promise<ToolSource> {
  const server = await connectServerUnderTest(flags).catch((error: unknown) => {
    throw ToolError.is(error) ? new CaseError(renderFailure(error)) : error;
  });
  if (server === undefined) return { open: () => openBoxed(packClient(simulated()), boxing), close: async () => {} };
  return { open: () => openBoxed(server.client, boxing), close: () => server.close() };
}
