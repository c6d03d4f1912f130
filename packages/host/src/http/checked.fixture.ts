import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { newRequest, runChecks, type HttpCheck } from "./http-check.ts";
import { RequestRefusal } from "./refusal.ts";

interface TestRequest {
  readonly method?: string;
  readonly url?: string;
  /** The header lines, such as `Host: localhost`. */
  readonly lines?: readonly string[];
}

/** Runs a request through checks without a connection. Resolves to the refusal, or to `"passed"`. */
export async function checked(
  checks: readonly HttpCheck[],
  { method = "POST", url = "/mcp", lines = [] }: TestRequest,
): Promise<RequestRefusal["options"] | "passed"> {
  const request = Object.assign(new IncomingMessage(new Socket()), { method, url });
  for (const line of lines) {
    const at = line.indexOf(":");
    const [name, value] = [line.slice(0, at), line.slice(at + 1).trim()];
    request.rawHeaders.push(name, value);
    request.headers[name.toLowerCase()] = value;
  }
  let result: RequestRefusal["options"] | "passed" = "passed";
  try {
    await runChecks(checks, newRequest(request, new ServerResponse(request)));
  } catch (error) {
    if (!(error instanceof RequestRefusal)) throw error;
    result = error.options;
  }
  return result;
}
