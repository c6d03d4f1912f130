import type { LoggingMessageNotification } from "@modelcontextprotocol/client";
import { singleLine } from "./clean-text.ts";
import type { UpstreamLevel, UpstreamLog } from "./options.ts";

type LogMessage = LoggingMessageNotification["params"];

const maxLength = 500;
/** Maximum log messages of a server. */
const maxMessages = 1_000;

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
  let count = 0;
  return ({ level, logger, data }) => {
    count += 1;
    if (count > maxMessages) return;
    const words = typeof data === "string" ? data : JSON.stringify(data);
    const text = singleLine(`${logger === undefined ? "" : `${logger}: `}${words}`).slice(0, maxLength);
    log?.(levels[level], count === maxMessages ? `${text}; further log messages are not shown` : text);
  };
}
