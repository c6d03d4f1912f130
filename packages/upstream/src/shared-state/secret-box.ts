import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { ConfigurationError } from "@toolpacks/core";

const variable = "TOOLPACKS_SECRET_KEY";
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const algorithm = "aes-256-gcm";
/** The format of an encrypted text, for later formats. */
const format = "1";

/** Encrypts and decrypts texts. A text can only be decrypted with the context with which it was encrypted. */
export interface SecretBox {
  encrypt(text: string, context: string): string;
  /** Undefined for another key, another context, or a changed text. */
  decrypt(encrypted: string, context: string): string | undefined;
}

/** The box of the key in `$TOOLPACKS_SECRET_KEY`. @throws ConfigurationError when there is no key, or it has another form */
export function openSecretBox(environment: Readonly<Record<string, string | undefined>>): SecretBox {
  const key = readKey(environment[variable]);
  return {
    encrypt(text, context) {
      // Random nonces of 96 bits: few texts are encrypted with one key, so that none repeats.
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(context));
      const parts = [nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()];
      return `${format}.${Buffer.concat(parts).toString("base64")}`;
    },
    decrypt(encrypted, context) {
      const [found, data = ""] = encrypted.split(".", 2);
      const bytes = Buffer.from(data, "base64");
      if (found !== format || bytes.length < nonceBytes + tagBytes) return undefined;
      const nonce = bytes.subarray(0, nonceBytes);
      try {
        const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
          .setAAD(Buffer.from(context))
          .setAuthTag(bytes.subarray(-tagBytes));
        const text = decipher.update(bytes.subarray(nonceBytes, -tagBytes));
        return Buffer.concat([text, decipher.final()]).toString("utf8");
      } catch {
        return undefined;
      }
    },
  };
}

function readKey(text: string | undefined): Buffer {
  if (text === undefined || text.trim() === "") {
    throw new ConfigurationError(
      `$${variable}: required, because sign-ins are kept encrypted in the shared store; set the same key for every server: openssl rand -base64 32`,
    );
  }
  const key = Buffer.from(text.trim(), "base64");
  // `Buffer.from` ignores characters that are not base64.
  if (key.length === keyBytes && key.toString("base64") === text.trim()) return key;
  throw new ConfigurationError(
    `$${variable}: expected ${keyBytes} bytes in base64, as "openssl rand -base64 32" prints them`,
  );
}
