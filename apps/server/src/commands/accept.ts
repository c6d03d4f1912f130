import { ConfigurationError } from "@toolpacks/core";
import type { UpstreamPack } from "@toolpacks/upstream";
import type { Flags } from "../config/settings.ts";
import { announceWaiting, type Io, print, printJson } from "@toolpacks/terminal";
import { createRuntime, type Runtime } from "../mount/runtime.ts";
import { renderToolChange, renderToolWarning } from "./render-tool-change.ts";

/** Maximum changes that are shown line by line. */
const maxShown = 100;

/** The flags of commands for the servers of one caller. */
export interface CallerFlags extends Flags {
  /** Id of the principal, or the name of its token. Absent: the local user, or the servers that all callers share. */
  readonly caller?: string;
}

/** `toolpacks accept <server>`: accepts the current descriptions of another server's tools. */
export async function accept(io: Io, flags: CallerFlags & { json?: boolean }, name: string): Promise<void> {
  const runtime = await createRuntime(flags, { io, quiet: "error", caller: flags.caller });
  try {
    const pack = findUpstream(runtime, name, flags.caller);
    const stop = announceWaiting(io, new Set([name]));
    const { changes, warnings } = await pack.accept().finally(stop);
    if (flags.json === true) return printJson(io, { server: name, changes, warnings }, 2);
    for (const change of changes.slice(0, maxShown)) print(io, ...renderToolChange(change));
    if (changes.length > maxShown) print(io, `… and ${changes.length - maxShown} more`);
    for (const warning of warnings) print(io, `WARNING: ${renderToolWarning(warning)}`);
    print(io, changes.length === 0 ? "nothing had changed" : `accepted: ${changes.length}`);
  } finally {
    await runtime.finish();
  }
}

/**
 * Finds another server's pack by its facet.
 *
 * @param caller as `--caller` names it
 * @throws ConfigurationError that lists the known servers, or for a caller of a server that all callers share
 */
export function findUpstream({ mounting, settings }: Runtime, name: string, caller?: string): UpstreamPack {
  const { upstreams, plan } = mounting;
  const found = upstreams.find((pack) => pack.name === name);
  if (caller !== undefined && plan.servers.some((one) => one.name === name && !one.isPerCaller)) {
    throw new ConfigurationError(
      `--caller: all callers use ${name} with one identity; remove --caller, or set identity: "caller" in its block`,
    );
  }
  if (found !== undefined) return found;
  const leftOut = mounting.leftOut.find((one) => one.name === name);
  if (leftOut !== undefined) {
    throw new ConfigurationError(`${name} cannot be used: ${leftOut.reason}. ${leftOut.hint}`);
  }
  if (settings.file === undefined) {
    throw new ConfigurationError(`no server is named ${name}: no config file was found; name one with --config <file>`);
  }
  const known = upstreams.map((pack) => pack.name).join(", ") || "none";
  throw new ConfigurationError(`${settings.file.path}: mcpServers: no server is named ${name}; there are ${known}`);
}
