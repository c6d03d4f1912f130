import { checkEntry, knownClients, servingEntries, takeFlag, userFileOf } from "@toolpacks/client-config";
import { errorText } from "@toolpacks/core";
import { announceWaiting, type Io } from "@toolpacks/terminal";
import { thisSetup } from "../clients/this-setup.ts";

/** An entry in a client's file of the user that starts this server. */
export interface EntryReport {
  /** Name of the client. */
  readonly client: string;
  /** Name of the entry. */
  readonly name: string;
  /** The folders after `--root` in the entry. */
  readonly roots: readonly string[];
  /** Number of tools that the entry lists. Undefined: there is a problem. */
  readonly tools?: number;
  /** Why the entry does not answer. */
  readonly problem?: string;
}

/** Starts each entry of the user's clients that runs this server, as its client does and as `init` does after writing it. */
export async function checkClients(io: Io) {
  const setup = thisSetup(io);
  const notes: string[] = [];
  const found = knownClients.flatMap((client) => {
    const file = userFileOf(client, setup);
    try {
      return servingEntries(file, setup).map((entry) => ({ ...entry, file }));
    } catch (error) {
      notes.push(`${file.label}: ${errorText(error)}`);
      return [];
    }
  });
  const waiting = new Set(found.map(({ file }) => file.label));
  const stop = announceWaiting(io, waiting);
  const check = async ({ file, name, args }: (typeof found)[number]): Promise<EntryReport> => {
    const checked = await checkEntry(setup, file, name);
    waiting.delete(file.label);
    return { client: file.label, name, roots: takeFlag(args, "--root").values, ...checked };
  };
  const clients = await Promise.all(found.map(check)).finally(stop);
  const problems = clients.flatMap(({ client, name, problem }) =>
    problem === undefined ? [] : [`${client}: ${name} does not answer: ${problem}`],
  );
  return { clients, notes, problems };
}
