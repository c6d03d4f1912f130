import path from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { parseUpstreamOptions, type UpstreamOptions } from "./options.ts";
import { createFileState } from "./file-state.ts";
import { userFolders } from "@toolpacks/terminal";

/**
 * Connects to a server directly: its tools keep their own names, and nothing is cached or left out. The caller closes the client.
 *
 * @throws ToolError when the server cannot be reached; Error that names each wrong option
 */
export async function connectServer(options: UpstreamOptions): Promise<Client> {
  const plan = parseUpstreamOptions(options);
  const data = plan.dataDirectory ?? userFolders("toolpacks", process.env).data;
  const [{ connect }, { asToolError }] = await Promise.all([import("./connect.ts"), import("./failure.ts")]);
  try {
    return await connect({
      plan,
      state: plan.state ?? createFileState(path.join(data, "upstream")),
      era: undefined,
      installHandlers: () => {},
      onListChanged: () => {},
      signal: new AbortController().signal,
    });
  } catch (error) {
    throw asToolError(error, plan);
  }
}
