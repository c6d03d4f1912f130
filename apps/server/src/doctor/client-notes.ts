import { isDisabled } from "@toolpacks/upstream/config";
import { findServers } from "../clients/find-servers.ts";
import { isOurs, ownArguments, runsServe } from "../clients/our-entry.ts";
import { shellQuote } from "../shell-quote.ts";

/**
 * How the clients on this machine start toolpacks, each with the command that checks it. Their flags decide what they get: doctor itself knows
 * only its own.
 *
 * @param config the config file that doctor checks: an entry with that flag alone needs no check of its own
 */
export function clientNotes(project: string, config?: string): readonly string[] {
  const found = findServers(project, { shared: true }, () => {});
  const notes = found.flatMap(({ client, path: file, servers }) =>
    servers
      .filter(({ block }) => isOurs(block) && runsServe(block) && !isDisabled(block))
      .flatMap(({ block }) => {
        const flags = (ownArguments(block) ?? []).filter((word) => word !== "serve");
        if (flags.length === 0 || flags.includes("--http")) return [];
        if (flags.length === 2 && flags[0] === "--config" && flags[1] === config) return [];
        const command = ["toolpacks doctor", ...flags.map((flag) => shellQuote(flag))].join(" ");
        return [`${client.name} starts toolpacks with flags (${file}); to check that entry: ${command}`];
      }),
  );
  return [...new Set(notes)];
}
