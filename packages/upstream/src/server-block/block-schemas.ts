import { z } from "zod";
import { upstreamSettings } from "../options.ts";

/** The fields with the address of a server, as different clients name it. */
export const addressFields = ["url", "serverUrl", "httpUrl"] as const;

function signInSchemas() {
  const scopes = z.union([z.string(), z.array(z.string())]);
  const auth = z.union([
    z.literal("oauth"),
    z.strictObject({ token: z.string().min(1).describe("bearer token") }),
    z.strictObject({ oauth: z.record(z.string(), z.unknown()).describe("fields of oauth, below") }),
    z.object({
      CLIENT_ID: z.string().describe("as oauth.clientId"),
      CLIENT_SECRET: z.string().optional().describe("as oauth.clientSecret"),
      scopes: scopes.optional().describe("as oauth.scopes"),
    }),
  ]);

  /** The `auth.oauth` of Claude Code, VS Code and Gemini CLI. */
  const oauth = z.object({
    clientId: z.string().optional().describe("id of the OAuth client; default: registered with the server"),
    clientSecret: z.string().optional().describe("secret of the OAuth client"),
    scopes: scopes.optional().describe("scopes to ask for; a text separates them by spaces"),
    callbackPort: z.int().optional().describe("port of the address that the browser comes back to"),
  });
  return { auth, oauth };
}

function makeSchemas() {
  const scalar = z.union([z.string(), z.number(), z.boolean()]);
  /** Null means not set. */
  const texts = z.record(z.string(), scalar.nullable());
  const names = z.array(z.string());
  const { auth, oauth } = signInSchemas();

  /** Our settings beside the clients' fields. */
  const ours = z.object({
    ...upstreamSettings.partial().shape,
    transport: z.string().optional().describe("http or sse; default: by trying"),
    auth: auth.optional().describe("how to sign in; default: OAuth if the server asks for it"),
    firstListTimeoutSeconds: z
      .number()
      .optional()
      .describe("maximum seconds that the first list waits for a server without a cached list; default 5"),
  });

  /** A server block of any client's config file, with our settings. Other fields are ignored. */
  const block = z.object({
    ...ours.shape,
    command: z.string().min(1).optional().describe("program that is a server on stdio"),
    args: z.array(scalar).optional().describe("arguments of the program"),
    env: texts.optional().describe("variables of the program; ${NAME} stands for a variable of this server"),
    envFile: z.string().optional().describe("a file of further variables, relative to this file"),
    cwd: z.string().optional().describe("folder in which the program starts, relative to this file"),
    type: z.string().optional().describe("sse for a server of the older transport"),
    transportType: z.string().optional().describe("as type"),
    url: z.string().min(1).optional().describe("address of a server elsewhere"),
    serverUrl: z.string().min(1).optional().describe("as url"),
    httpUrl: z.string().min(1).optional().describe("as url"),
    headers: texts.optional().describe("headers of each request"),
    headersHelper: z.unknown().optional().describe("refused: only the block's client can run it"),
    authProviderType: z.string().optional().describe("only dynamic_discovery; others are refused"),
    oauth: oauth.optional().describe("OAuth client"),
    disabled: z.boolean().optional().describe("leave the server out; default false"),
    enabled: z.boolean().optional().describe("false leaves the server out; default true"),
    tools: z
      .union([upstreamSettings.shape.tools.unwrap(), names])
      .optional()
      .describe("changes of single tools by the server's names for them, or as onlyTools"),
    enabledTools: names.optional().describe("as onlyTools"),
    includeTools: names.optional().describe("as onlyTools"),
    disabledTools: names.optional().describe("tools to hide"),
    excludeTools: names.optional().describe("tools to hide"),
    timeout: z.number().positive().optional().describe("as timeoutSeconds, in milliseconds from 1000"),
  });
  return { ours, block };
}

export type BlockSchemas = ReturnType<typeof makeSchemas>;
/** A server block of a client's config file. */
export type Block = z.output<BlockSchemas["block"]>;

let made: BlockSchemas | undefined;

/** Created at the first block, so that a start without servers does not pay for it. */
export function blockSchemas(): BlockSchemas {
  return (made ??= makeSchemas());
}
