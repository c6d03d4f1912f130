import { ConfigurationError, errorText } from "@toolpacks/core";
import { type Io, print } from "@toolpacks/terminal";
import { readRecord } from "../change-record.ts";
import { applyChange } from "../file-change.ts";
import type { Machine } from "../machine.ts";
import { renderDiff } from "../render-change.ts";
import type { HookClient } from "./hook-clients.ts";
import { planHooks } from "./plan-hooks.ts";

interface HookSetup {
  readonly machine: Machine;
  /** The command line that the client runs at each event. */
  readonly command: string;
  /** The command that sets the hooks, such as `toolpacks hooks`. */
  readonly by: string;
  /** The file that records changes. */
  readonly record: string;
  /** Whether the change is only shown. */
  readonly isShownOnly: boolean;
}

/** Shows the change that sets the hooks of a client once, and writes it. @throws ConfigurationError if the file cannot be changed */
export function setHooks(io: Io, client: HookClient, setup: HookSetup): void {
  const { machine, command, by, record, isShownOnly } = setup;
  const file = client.file(machine);
  const change = planHooks(client, file, command);
  print(io, `${client.name}: ${file}${change !== undefined && change.content === undefined ? " (new file)" : ""}`);
  if (change === undefined) return print(io, "  not changed: the hooks are set up already");
  print(io, ...renderDiff(change).map((line) => `  ${line}`));
  if (isShownOnly) return;
  // An unreadable record stops the command here: its change could not be undone.
  readRecord(record);
  try {
    applyChange(change, { by, record });
  } catch (error) {
    throw new ConfigurationError(`${file}: ${errorText(error)}; the file is not changed`);
  }
  print(io, `written; ${by} ${client.id} --undo takes it back`, ...client.notes);
}
