import { z } from "zod";
import { oauthSchema, rateSchema, settingName, urlSchema } from "@toolpacks/access";
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

function textWithout(problemOf: (text: string) => string | undefined) {
  return z.string().superRefine((text, context) => {
    const message = problemOf(text);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  });
}

/** Schema of the `http` block of the config file. */
export const httpSchema = z.strictObject({
  host: textWithout(hostProblem).optional().describe("address to listen on; default 127.0.0.1"),
  port: z.int().min(0).max(65_535).optional().describe("port to listen on; 0 chooses a free one; default 3333"),
  path: textWithout(pathProblem).optional().describe("path of the MCP endpoint; default /mcp"),
  publicUrl: urlSchema.optional().describe("address that clients use, behind a proxy: https://tools.example.com"),
  allowedHosts: hostNames
    .optional()
    .describe("host names accepted in `Host`, beside those of the address and publicUrl"),
  allowedOrigins: hostNames.optional().describe("host names accepted in `Origin`; default those accepted in `Host`"),
  tokens: z.string().min(1).optional().describe("file of bearer tokens, which `toolpacks tokens` writes"),
  oauth: oauthSchema.optional().describe("accept access tokens of an OAuth authorization server"),
  maxBodyBytes: z.int().min(1_000).optional().describe("maximum size of a request; default 1048576"),
  maxStreams: z.int().min(1).optional().describe("maximum open streams of one caller; default 16"),
  maxCalls: z.int().min(1).optional().describe("maximum requests of one caller at the same time; default 32"),
  rate: rateSchema.optional().describe("maximum requests of one caller per period; default no limit"),
});

export type HttpConfig = z.output<typeof httpSchema>;
