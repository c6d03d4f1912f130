import { table } from "@toolpacks/terminal";
import { print, printError, printJson } from "../print.ts";
import { findServers, stopServer } from "../warm/servers.ts";

/** `toolpacks warm`: lists the warm servers of this user, or ends them. */
export async function warm(action: "list" | "stop", { json = false }: { readonly json?: boolean }): Promise<void> {
  const servers = await findServers();
  if (action === "stop") await Promise.all(servers.map(({ address }) => stopServer(address)));
  const shown = servers.map(({ pid, folder, started }) => ({ pid, folder, started }));
  if (json) return printJson(shown, 2);
  if (servers.length === 0) return printError("no warm server runs");
  if (action === "stop") print(...shown.map(({ pid, folder }) => `stopped ${pid} (${folder})`));
  else
    print(...table([["pid", "started", "folder"], ...shown.map(({ pid, folder, started }) => [pid, started, folder])]));
}
