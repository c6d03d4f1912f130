import type { HttpCheck } from "../http-check.ts";
import { RequestRefusal } from "../refusal.ts";

/** Reads the path of a request target. Other targets, such as the addresses that clients send to a proxy, are refused. */
export const readTarget: HttpCheck = (found, next) => {
  const { url = "" } = found.request;
  if (!url.startsWith("/")) {
    const message = "request target: expected a path such as /mcp";
    throw new RequestRefusal({ status: 400, rule: "target", message });
  }
  const end = url.search(/[?#]/);
  found.path = end < 0 ? url : url.slice(0, end);
  return next();
};
