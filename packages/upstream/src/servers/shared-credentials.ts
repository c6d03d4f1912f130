import { isObject, isSecretField, maskText } from "@toolpacks/core";
import { singleLine } from "../clean-text.ts";
import type { UpstreamPack } from "../upstream.ts";
import type { PlannedServer } from "./plan-servers.ts";

/** A warning for each server whose credentials all callers use, if its block does not say that this is meant. */
export async function sharedCredentialWarnings(
  servers: readonly PlannedServer[],
  packs: readonly Pick<UpstreamPack, "name" | "isSignedIn">[],
): Promise<readonly string[]> {
  const found = await Promise.all(
    servers.map(async ({ key, name, block }) => {
      if (!isObject(block) || block["identity"] !== undefined) return [];
      const pack = packs.find((one) => one.name === name);
      const where = credentialField(block) ?? ((await pack?.isSignedIn().catch(() => true)) === true && "a sign-in");
      if (where === false) return [];
      return [
        `mcpServers.${singleLine(key).slice(0, 80)}: all callers use its credentials (${where}); set identity: "caller" in its block for credentials of each caller, or identity: "shared" if this is meant`,
      ];
    }),
  );
  return found.flat();
}

/** The field of a block that holds credentials. */
function credentialField(block: Readonly<Record<string, unknown>>): string | undefined {
  const { env, envFile, headers, auth, oauth } = block;
  if (isObject(env) && Object.entries(env).some(([name, value]) => isSecret(name, value))) return "env";
  if (isSet(envFile)) return "envFile";
  if (isObject(headers) && Object.keys(headers).length > 0) return "headers";
  return isSet(auth) || isSet(oauth) ? "auth" : undefined;
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}

/** Whether a variable is a secret by its name or value, or is taken from the environment, where secrets are. */
function isSecret(name: string, value: unknown): boolean {
  const text = String(value);
  if (!isSet(value)) return false;
  return text.includes("$") || isSecretField({ [name]: text }, name) || maskText(text) !== text;
}
