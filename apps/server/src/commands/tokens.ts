import path from "node:path";
import * as commands from "@toolpacks/access/token-commands";
import { userFolders } from "@toolpacks/settings";
import type { Io } from "@toolpacks/terminal";

interface TokenFlags {
  readonly file?: string;
  readonly json?: boolean;
  readonly expires?: string;
}

/** `toolpacks tokens add`. */
export function addToken(io: Io, flags: TokenFlags, name: string): Promise<void> {
  return commands.addToken(io, placeOf(io, flags), { ...flags, name });
}

/** `toolpacks tokens list`. */
export function listTokens(io: Io, flags: TokenFlags): Promise<void> {
  return commands.listTokens(io, placeOf(io, flags), flags.json);
}

/** `toolpacks tokens rotate`. */
export function rotateToken(io: Io, flags: TokenFlags, named: string): Promise<void> {
  return commands.rotateToken(io, placeOf(io, flags), { named, expires: flags.expires });
}

/** `toolpacks tokens revoke`. */
export function revokeToken(io: Io, flags: TokenFlags, named: string): Promise<void> {
  return commands.revokeToken(io, placeOf(io, flags), named);
}

function placeOf({ cwd, env }: Io, { file }: TokenFlags): commands.TokenPlace {
  const own = path.join(userFolders("toolpacks", env).config, "tokens.json");
  return { file: file === undefined ? own : path.resolve(cwd, file), program: "toolpacks" };
}
