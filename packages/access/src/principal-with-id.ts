import { principalOf } from "@toolpacks/core";
import type { Principal } from "./authenticator.ts";
import { isExpired, readTokens, tokenSubject } from "./token-file.ts";
import { unionAccess } from "./union-access.ts";

/**
 * The principal with an id, with what it may use now. Undefined if only its own requests tell that: the principal is of an authorization server, or its token
 * is revoked or expired.
 *
 * @param file the token file
 */
export async function principalWithId(id: string, file: string | undefined): Promise<Principal | undefined> {
  if (file === undefined) return undefined;
  const token = (await readTokens(file)).find((one) => principalOf({ extra: { sub: tokenSubject(one) } }) === id);
  if (token === undefined || isExpired(token, Date.now())) return undefined;
  return { id, access: unionAccess([token.access]) };
}
