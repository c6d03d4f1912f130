import { z } from "zod";
import { accessSchema } from "./access.ts";

/** An address with its scheme. */
export const urlSchema = z.url({
  protocol: /^https?$/,
  error: "expected an address with its scheme, such as https://tools.example.com",
});

// The characters of a scope in RFC 6749. A scope with a space would be read as two, and one with a quote would end the challenge's value.
const scopeName = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/;

const scopes = z.record(z.string(), accessSchema).superRefine((granted, context) => {
  const names = Object.keys(granted);
  const message = "expected a scope of at most 200 printable ASCII characters without space, quote and backslash";
  if (names.length === 0) context.addIssue({ code: "custom", message: "expected at least one scope" });
  for (const name of names.filter((one) => !scopeName.test(one))) {
    context.addIssue({ code: "custom", path: [name], message });
  }
});

/** An authorization server whose access tokens are accepted. */
export const oauthSchema = z.strictObject({
  issuer: urlSchema.describe("address of the authorization server, as in the `iss` of its tokens"),
  audience: z.string().min(1).optional().describe("expected `aud` of tokens; default publicUrl with the path"),
  scopes: scopes.describe("what each scope grants; a token with several scopes has what any of them grants"),
});

export type OAuthSettings = z.output<typeof oauthSchema>;

/** Where a server listens, and which credentials it accepts. */
export interface AccessSettings {
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 3333. */
  readonly port?: number;
  /** Path of the MCP endpoint. Default /mcp. */
  readonly path?: string;
  /** Address that clients use, behind a proxy. */
  readonly publicUrl?: string | undefined;
  /** Absolute path of the token file. */
  readonly tokens?: string | undefined;
  readonly oauth?: OAuthSettings | undefined;
}
