import { isObject } from "@toolpacks/schema";
import { ToolError } from "./tool-error.ts";

export type RequestOptions = { readonly timeout: number; readonly signal: AbortSignal };

/** Sends a request of one method to the client. */
export type AskClient = (params: object, options: RequestOptions) => Promise<unknown>;

/** Asks the model of a client of protocol 2025. @throws ToolError `unavailable` when the client refuses or fails */
export async function sampleClient(
  ask: AskClient,
  params: object,
  options: RequestOptions,
): Promise<Readonly<Record<string, unknown>>> {
  try {
    const message = await ask(params, options);
    if (isObject(message)) return message;
  } catch (error) {
    options.signal.throwIfAborted();
    const code = isObject(error) && typeof error["code"] === "number" ? ` (code ${error["code"]})` : "";
    throw new ToolError("unavailable", `the client did not answer for its model${code}`);
  }
  throw new ToolError("unavailable", "the client answered no message of its model");
}
