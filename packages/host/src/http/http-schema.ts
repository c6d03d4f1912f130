import { z } from "zod";
import { accessSchema, rateSchema, settingName } from "@toolpacks/access";
import { hostProblem, pathProblem } from "./http-address.ts";

const hostNames = z
  .array(
    z
      .string()
      .max(255)
      .refine(
        (name) => settingName(name) !== undefined,
        "expected a host name without scheme and path, such as tools.internal",
      ),
  )
  .max(100);
const url = z.url({
  protocol: /^https?$/,
  error: "expected an address with its scheme, such as https://tools.example.com",
});

function textWithout(problemOf: (text: string) => string | undefined) {
  return z.string().superRefine((text, context) => {
    const message = problemOf(text);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  });
}

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

const oauth = z.strictObject({
  issuer: url.describe("address of the authorization server, as in the `iss` of its tokens"),
  audience: z.string().min(1).optional().describe("expected `aud` of tokens; default publicUrl with the path"),
  scopes: scopes.describe("what each scope grants; a token with several scopes has what any of them grants"),
});

/** Schema of the `http` block of the config file. */
export const httpSchema = z.strictObject({
  host: textWithout(hostProblem).optional().describe("address to listen on; default 127.0.0.1"),
  port: z.int().min(0).max(65_535).optional().describe("port to listen on; 0 chooses a free one; default 3333"),
  path: textWithout(pathProblem).optional().describe("path of the MCP endpoint; default /mcp"),
  publicUrl: url.optional().describe("address that clients use, behind a proxy: https://tools.example.com"),
  allowedHosts: hostNames
    .optional()
    .describe("host names accepted in `Host`, beside those of the address and publicUrl"),
  allowedOrigins: hostNames.optional().describe("host names accepted in `Origin`; default those accepted in `Host`"),
  tokens: z.string().min(1).optional().describe("file of bearer tokens, which `toolpacks tokens` writes"),
  oauth: oauth.optional().describe("accept access tokens of an OAuth authorization server"),
  maxBodyBytes: z.int().min(1_000).optional().describe("maximum size of a request; default 1048576"),
  maxStreams: z.int().min(1).optional().describe("maximum open streams of one caller; default 16"),
  maxCalls: z.int().min(1).optional().describe("maximum requests of one caller at the same time; default 32"),
  rate: rateSchema.optional().describe("maximum requests of one caller per period; default no limit"),
});

export type HttpConfig = z.output<typeof httpSchema>;
