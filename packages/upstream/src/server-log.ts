import type { LoggingMessageNotification } from "@modelcontextprotocol/client";
import { singleLine } from "./clean-text.ts";
import type { UpstreamLevel, UpstreamLog } from "./options.ts";

type LogMessage = LoggingMessageNotification["params"];

const longest = 500;
/** Maximum log messages of a server. */
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

/** Logs a server's `notifications/message`: errors and warnings with their level, others as debug. */
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
