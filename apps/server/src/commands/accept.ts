import type { Flags } from "../config/settings.ts";
import { ConfigurationError } from "../configuration-error.ts";
import type { Mounting } from "../packs.ts";
import { prepare } from "../prepare.ts";
import { tellChange } from "./tell-change.ts";

/** `toolpacks accept <server>`: takes another server's tools as they are described now. */
export async function accept(name: string, flags: Flags): Promise<void> {
  const { mounting, finish } = await prepare({ logLevel: "error", ...flags });
  try {
    const changes = await upstreamNamed(mounting, name).accept();
    for (const change of changes) process.stdout.write(`${tellChange(change).join("\n")}\n`);
    process.stdout.write(changes.length === 0 ? "nothing had changed\n" : `accepted: ${changes.length}\n`);
  } finally {
    await finish();
  }
}

/** @throws ConfigurationError that names those that there are */
export function upstreamNamed({ upstreams }: Mounting, name: string): Mounting["upstreams"][number] {
  const found = upstreams.find((pack) => pack.name === name);
  if (found !== undefined) return found;
  const known = upstreams.map((pack) => pack.name).join(", ") || "none";
  throw new ConfigurationError(`no server is named ${name} in mcpServers; there are ${known}`);
}
