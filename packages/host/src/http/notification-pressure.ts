import type { ServerResponse } from "node:http";
import { waitForDrain } from "@toolpacks/bounded-io";

/** The fields of the SDK's handler context that are used here. */
interface HandlerContext {
  readonly mcpReq?: { notify(notification: unknown): Promise<void> };
  readonly http?: { readonly req?: Request };
}

const responses = new Map<Request, ServerResponse>();

/** Links a request of the SDK to its response while it runs. Returns a function that ends the link. */
export function linkResponse(request: Request, response: ServerResponse): () => void {
  responses.set(request, response);
  return () => void responses.delete(request);
}

/**
 * Hook of `attach` that delays the notifications of a call while its client does not read. The SDK would queue them without a limit. Progress of a tool
 * that is not awaited is then replaced by newer progress.
 */
export function delayNotifications(_method: string, raw: unknown): undefined {
  const { mcpReq, http } = raw as HandlerContext;
  const response = http?.req && responses.get(http.req);
  if (mcpReq === undefined || response === undefined) return undefined;
  const notify = mcpReq.notify.bind(mcpReq);
  mcpReq.notify = async (notification) => {
    await waitForDrain(response);
    return notify(notification);
  };
  return undefined;
}
