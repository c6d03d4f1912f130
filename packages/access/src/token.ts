import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** A new token, with what the token file keeps of it. */
export interface NewToken {
  /** The token as callers send it: `tp_<id>_<secret>`. */
  readonly token: string;
  readonly id: string;
  /** SHA-256 of the secret in hex. */
  readonly hash: string;
}

const secretBytes = 32;
const idBytes = 8;

/** Creates a token with a random secret of 256 bits. @param id the id of a token that gets a new secret; default a new id */
export function createToken(id: string = randomBytes(idBytes).toString("hex")): NewToken {
  const secret = randomBytes(secretBytes).toString("base64url");
  return { token: `tp_${id}_${secret}`, id, hash: hashSecret(secret).toString("hex") };
}

/** Whether a token has the prefix of tokens in a token file. Other tokens are for an authorization server. */
export function hasTokenPrefix(token: string): boolean {
  return token.startsWith("tp_");
}

/** Splits a token into its id and secret. Undefined: the text has another form. */
export function parseToken(token: string): { readonly id: string; readonly secret: string } | undefined {
  const [, id, secret] = /^tp_([0-9a-f]{16})_([\w-]{43})$/.exec(token) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

/** Compares a secret with a stored hash in constant time. */
export function isSecretOf(secret: string, hash: Buffer): boolean {
  return timingSafeEqual(hashSecret(secret), hash);
}

/**
 * A fast hash is right here. Slow hashes such as scrypt protect passwords, which can be guessed. A random secret of 256 bits cannot, whatever the hash
 * costs, and a slow hash would be computed for each request.
 */
function hashSecret(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}
