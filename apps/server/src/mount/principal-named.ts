import { ConfigurationError, principalOf } from "@toolpacks/core";
import type { Settings } from "../config/settings.ts";
import { readTokens, tokenSubject } from "@toolpacks/access";

/** The id of the principal that `--caller` names: by its id, as hints show it, or by the name of its token. @throws ConfigurationError */
export async function principalNamed(named: string, settings: Pick<Settings, "http">): Promise<string> {
  if (named.startsWith("[")) return named;
  const { tokens: file } = settings.http.value;
  if (file === undefined) {
    throw new ConfigurationError(
      `--caller: expected the id of a principal, such as ["subject","<issuer>","<user>"], received ${named}; for the name of a token, set http.tokens in the config file`,
    );
  }
  const tokens = await readTokens(file);
  const found = tokens.find(({ id, name }) => name === named || id === named);
  if (found !== undefined) return principalOf({ extra: { sub: tokenSubject(found) } });
  const names = tokens.map(({ name }) => name).join(", ") || "none";
  throw new ConfigurationError(`--caller: ${file} has no token named ${named}; its tokens: ${names}`);
}
