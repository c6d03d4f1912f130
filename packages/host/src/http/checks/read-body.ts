import type { IncomingMessage } from "node:http";
import { exceededMessage, measure, jsonValue } from "@toolpacks/core";
import { ClientGone, type HttpCheck } from "../http-check.ts";
import { tooLarge } from "./check-message-head.ts";
import { errorCodes, RequestRefusal } from "../refusal.ts";

/**
 * Several times what the arguments of one call may hold. Small values take many times the memory of their JSON, and a caller may send several bodies at
 * the same time.
 */
const bodyBounds = { maxDepth: 256, maxValues: 100_000 };

/** Reads the JSON body within the limits. */
export function readBody(maxBodyBytes: number): HttpCheck {
  return async (found, next) => {
    const { request, response } = found;
    if (request.headers.expect !== undefined) response.writeContinue();
    const body = parse(await readBytes(request, maxBodyBytes));
    const { exceeded } = measure(body, bodyBounds);
    if (exceeded !== undefined) {
      const message = `body: ${exceededMessage(exceeded, bodyBounds)}`;
      throw new RequestRefusal({ status: 413, rule: `json-${exceeded}`, message });
    }
    found.body = body;
    await next();
  };
}

function parse(body: Buffer): unknown {
  const value = jsonValue(body.toString());
  if (value !== undefined) return value;
  throw new RequestRefusal({ status: 400, rule: "json", code: errorCodes.parse, message: "body: expected JSON" });
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
