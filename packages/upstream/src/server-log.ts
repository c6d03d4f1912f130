import type { LoggingMessageNotification } from "@modelcontextprotocol/client";
import { singleLine } from "./clean-text.ts";
import type { UpstreamLevel, UpstreamLog } from "./options.ts";

type LogMessage = LoggingMessageNotification["params"];

const longest = 500;
/** A server that has more to say than this is not heard out. */
const most = 1_000;

const levels: Readonly<Record<LogMessage["level"], UpstreamLevel>> = {
  emergency: "error",
  alert: "error",
  critical: "error",
  error: "error",
  warning: "warn",
  notice: "debug",
  info: "debug",
  debug: "debug",
};

/** What a server says of itself by `notifications/message`, in the log: errors and warnings as such, the rest for whoever looks closely. */
export function serverLog(log: UpstreamLog | undefined): (message: LogMessage) => void {
  let said = 0;
  return ({ level, logger, data }) => {
    said += 1;
    if (said > most) return;
    const words = typeof data === "string" ? data : JSON.stringify(data);
    const text = singleLine(`${logger === undefined ? "" : `${logger}: `}${words}`).slice(0, longest);
    log?.(levels[level], said === most ? `${text}; no more of what it logs is shown` : text);
  };
}
