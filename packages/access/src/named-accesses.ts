import { visibleJson } from "@toolpacks/core";
import type { AccessSettings } from "./access-settings.ts";
import type { Access } from "./access.ts";
import { readTokenFile, type TokenRecord } from "./token-file.ts";

/** What a token or a scope grants, with the name of the token or scope for messages. */
export interface NamedAccess {
  readonly name: string;
  readonly access: Access;
}

/** What the tokens of the token file and the scopes grant. A file that cannot be read counts as empty: opening it for callers reports the problem. */
export async function namedAccesses({ tokens: file, oauth }: AccessSettings): Promise<readonly NamedAccess[]> {
  const tokens =
    file === undefined
      ? []
      : await readTokenFile(file).then(
          (read) => read.tokens,
          () => [],
        );
  const scopes = Object.entries(oauth?.scopes ?? {});
  return [
    ...tokens.map(namedToken),
    ...scopes.map(([name, access]) => ({ name: `scope ${visibleJson(name)}`, access })),
  ];
}

function namedToken({ name, access }: Pick<TokenRecord, "name" | "access">): NamedAccess {
  return { name: `token ${visibleJson(name)}`, access };
}
