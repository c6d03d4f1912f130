import type { IncomingMessage } from "node:http";
import { exceededBound, exceededMessage, type JsonBounds } from "@toolpacks/bounded-io";
import { ClientGone, type HttpCheck } from "./http-check.ts";
import { tooLarge } from "./message-head.ts";
import { errorCodes, RequestRefusal } from "./refusal.ts";

/**
 * Several times what the arguments of one call may hold. Small values take many times the memory of their JSON, and a caller may send several bodies at
 * the same time.
 */
const bodyBounds: JsonBounds = { maxDepth: 256, maxValues: 100_000, maxFields: 50_000 };

/** Reads the JSON body within the limits. */
export function readBody(maxBodyBytes: number): HttpCheck {
  return async (found, next) => {
    const { request, response } = found;
    if (request.headers.expect !== undefined) response.writeContinue();
    const body = await readBytes(request, maxBodyBytes);
    const bound = exceededBound(body, bodyBounds);
    if (bound !== undefined) {
      const message = `body: ${exceededMessage(bound, bodyBounds)}`;
      throw new RequestRefusal({ status: 413, rule: `json-${bound}`, message });
    }
    found.body = parse(body);
    await next();
  };
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString()) as unknown;
  } catch {
    throw new RequestRefusal({ status: 400, rule: "json", code: errorCodes.parse, message: "body: expected JSON" });
  }
}

/** Reads the body. Stops reading at the limit. */
function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = () => {
      request.off("data", add);
      request.off("end", end);
      request.off("close", gone);
    };
    const add = (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else {
        finish();
        request.pause();
        reject(tooLarge(maxBytes));
      }
    };
    const end = () => {
      finish();
      const [first] = chunks;
      resolve(first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks, size));
    };
    const gone = () => {
      finish();
      reject(new ClientGone("the client closed the connection"));
    };
    request.on("data", add).on("end", end).on("close", gone);
    if (request.destroyed) gone();
  });
}
