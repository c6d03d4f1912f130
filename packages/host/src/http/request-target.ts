import type { HostNames } from "./host-names.ts";
import type { HttpCheck } from "./http-check.ts";
import { RequestRefusal } from "./refusal.ts";

/** Reads the path of a request target. A target that is no path and no address of this server is refused. */
export function readTarget(names: HostNames): HttpCheck {
  return (found, next) => {
    const { url = "" } = found.request;
    if (url.startsWith("/")) found.path = withoutQuery(url);
    else {
      const absolute = /^https?:\/\/([^/?#@\s]+)(\/[^\s]*)?$/i.exec(url);
      if (absolute === null) {
        throw new RequestRefusal({
          status: 400,
          rule: "target",
          message: "request target: expected a path such as /mcp",
        });
      }
      names.checkTarget(absolute[1] ?? "");
      found.path = withoutQuery(absolute[2] ?? "/");
    }
    return next();
  };
}

function withoutQuery(target: string): string {
  const end = target.search(/[?#]/);
  return end < 0 ? target : target.slice(0, end);
}
