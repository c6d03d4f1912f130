import { checkEntry, knownClients, servingEntries, takeFlag, userFileOf } from "@toolpacks/client-config";
import { errorText } from "@toolpacks/core";
import { waitForServers, type Io } from "@toolpacks/terminal";
import { thisSetup } from "../clients/this-setup.ts";

/** An entry in a client's file of the user that starts this server. */
export interface EntryReport {
  /** The client and the name of the entry: `Cursor: toolpacks`. */
  readonly entry: string;
  /** The folders after `--root` in the entry. */
  readonly roots: readonly string[];
  /** Number of tools that the entry lists. Undefined: there is a problem. */
  readonly tools?: number;
  readonly problem?: string;
}

/** Starts each entry of the user's clients that runs this server, as its client does and as `init` does after writing it. */
export async function checkClients(io: Io): Promise<readonly EntryReport[]> {
  const setup = thisSetup(io);
  const checks = knownClients.map(async (client): Promise<readonly EntryReport[]> => {
    const file = userFileOf(client, setup);
    try {
      const reports = servingEntries(file, setup).map(async ({ name, args }) => {
        const report = { entry: `${client.name}: ${name}`, roots: takeFlag(args, "--root").values };
        return { ...report, ...(await checkEntry(setup, file, name)) };
      });
      return await Promise.all(reports);
    } catch (error) {
      return [{ entry: client.name, roots: [], problem: errorText(error) }];
    }
  });
  const waiting = knownClients.map(({ name }, at) => ({ name, ready: async () => checks[at] }));
  await waitForServers(io, waiting);
  return (await Promise.all(checks)).flat();
}
