import { z } from "zod";
import { upstreamSettings } from "../options.ts";

function makeSchemas() {
  const scalar = z.union([z.string(), z.number(), z.boolean()]);
  /** Null means not set. */
  const texts = z.record(z.string(), scalar.nullable());
  const names = z.array(z.string());
  const scopes = z.union([z.string(), names]);
  const auth = z.union([
    z.literal("oauth"),
    z.strictObject({ token: z.string().min(1) }),
    z.strictObject({ oauth: z.record(z.string(), z.unknown()) }),
    z.object({ CLIENT_ID: z.string(), CLIENT_SECRET: z.string().optional(), scopes: scopes.optional() }),
  ]);

  /** The `auth.oauth` of Claude Code, VS Code and Gemini CLI. */
  const oauth = z.object({
    clientId: z.string().optional(),
    clientSecret: z.string().optional(),
    scopes: scopes.optional(),
    callbackPort: z.int().optional(),
  });

  /** Our settings beside the clients' fields. */
  const ours = z.object({
    ...upstreamSettings.partial().shape,
    transport: z.string().optional().describe("http or sse; default: by trying"),
    auth: auth.optional(),
    firstListTimeoutSeconds: z.number().optional(),
    cacheDirectory: z.string().optional(),
    dataDirectory: z.string().optional(),
  });

  /** A server block of any client's config file, with our settings. Other fields are ignored. */
  const block = z.object({
    ...ours.shape,
    command: z.string().min(1).optional().describe("program that is a server on stdio"),
    args: z.array(scalar).optional(),
    env: texts.optional().describe("the variables it gets; ${NAME} stands for one of ours"),
    envFile: z.string().optional().describe("a file of further variables, relative to this file"),
    cwd: z.string().optional().describe("relative to this file"),
    type: z.string().optional().describe("sse for a server of the older transport"),
    transportType: z.string().optional(),
    url: z.string().min(1).optional().describe("address of a server elsewhere"),
    serverUrl: z.string().min(1).optional().describe("as url"),
    httpUrl: z.string().min(1).optional().describe("as url"),
    headers: texts.optional(),
    headersHelper: z.unknown().optional(),
    authProviderType: z.string().optional(),
    oauth: oauth.optional(),
    disabled: z.boolean().optional(),
    enabled: z.boolean().optional(),
    tools: z.union([upstreamSettings.shape.tools.unwrap(), names]).optional(),
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
