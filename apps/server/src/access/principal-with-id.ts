import { principalOf } from "@toolpacks/core";
import type { Settings } from "../config/settings.ts";
import { localPrincipal, type Principal } from "../hosts/host.ts";
import { isExpired, readTokens } from "./token-file.ts";
import { unionAccess } from "./union-access.ts";

/**
 * The principal with an id, with what it may use now. Undefined if only its own requests tell that: the principal is of an authorization server, or its token
 * is revoked or expired.
 */
export async function principalWithId(id: string, settings: Pick<Settings, "http">): Promise<Principal | undefined> {
  if (id === "") return localPrincipal;
  const { tokens: file } = settings.http.value;
  if (file === undefined) return undefined;
  const token = (await readTokens(file)).find((one) => principalOf({ extra: { sub: one.id } }) === id);
  if (token === undefined || isExpired(token, Date.now())) return undefined;
  return { id, access: unionAccess([token.access]) };
}
