import path from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import envPaths from "env-paths";
import { parseUpstreamOptions, type UpstreamOptions } from "./options.ts";

/**
 * Connects to a server as it is, for whoever wants its tools under their own names: nothing is cached, renamed or left out. Whoever
 * connects closes the client.
 *
 * @throws ToolError when it cannot be reached; Error that names each wrong option
 */
export async function connectServer(options: UpstreamOptions): Promise<Client> {
  const plan = parseUpstreamOptions(options);
  const data = plan.dataDirectory ?? envPaths("toolpacks", { suffix: "" }).data;
  const [{ connect }, { asToolError }] = await Promise.all([import("./connect.ts"), import("./failure.ts")]);
  try {
    return await connect({
      plan,
      dataDirectory: path.join(data, "upstream"),
      era: undefined,
      prepare: () => {},
      onListChanged: () => {},
      signal: new AbortController().signal,
    });
  } catch (error) {
    throw asToolError(error, plan);
  }
}
