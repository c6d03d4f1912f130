import type { UpstreamPack } from "@toolpacks/upstream";
import type { Flags } from "../config/settings.ts";
import { ConfigurationError } from "../configuration-error.ts";
import { createRuntime, type Runtime } from "../mount/runtime.ts";
import { print } from "../print.ts";
import { renderToolChange, renderToolWarning } from "./render-tool-change.ts";

/** Maximum changes that are shown line by line. */
const maxShown = 100;

/** `toolpacks accept <server>`: accepts the current descriptions of another server's tools. */
export async function accept(name: string, flags: Flags): Promise<void> {
  const runtime = await createRuntime(flags, { quiet: "error" });
  try {
    const { changes, warnings } = await findUpstream(runtime, name).accept();
    for (const change of changes.slice(0, maxShown)) print(...renderToolChange(change));
    if (changes.length > maxShown) print(`… and ${changes.length - maxShown} more`);
    for (const warning of warnings) print(`WARNING: ${renderToolWarning(warning)}`);
    print(changes.length === 0 ? "nothing had changed" : `accepted: ${changes.length}`);
  } finally {
    await runtime.finish();
  }
}

/** Finds another server's pack by its facet. @throws ConfigurationError that lists the known servers */
export function findUpstream({ mounting, settings }: Runtime, name: string): UpstreamPack {
  const { upstreams } = mounting;
  const found = upstreams.find((pack) => pack.name === name);
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
