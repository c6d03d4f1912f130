import { createHash } from "node:crypto";
import { hostname } from "node:os";
import { principalOf } from "@toolpacks/core";
import { printableText } from "@toolpacks/terminal";
import { destination, pino, stdTimeFunctions } from "pino";
import type { LogSink } from "./log.ts";
import { cleanName } from "./call-labels.ts";
import type { CallListener, FinishedCall } from "./observe-calls.ts";

interface LineOutput {
  write(line: string): unknown;
  /** Calls back when the lines that wait are written, or cannot be. Absent: lines do not wait. */
  flush?(done: () => void): void;
}

/** Maximum size of lines that wait because stderr is not read, in bytes. Further lines are dropped, so that calls go on. */
const maxUnreadBytes = 16 * 1024 * 1024;

/** A log of JSON lines. Each has the level, the time and the name of the replica. Default: on stderr. */
export function createJsonLog(output: LineOutput = stderrLines()) {
  const log = pino(
    {
      level: "debug",
      base: { replica: `${hostname()}-${process.pid}` },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    output,
  );
  const sink: LogSink = (level, message, cause) => {
    const text = printableText(message, Infinity);
    log[level](cause.length === 0 ? {} : { cause: cause.map((line) => printableText(line, Infinity)) }, text);
  };
  /** Writes one line for each finished call. */
  const calls: CallListener = { onEnd: (call) => log.info(callFields(call), "call") };
  /** Resolves when the lines that wait are written, or cannot be. */
  const flush = () =>
    new Promise<void>((resolve) => (output.flush === undefined ? resolve() : output.flush(() => resolve())));
  return { sink, calls, flush };
}

function stderrLines() {
  // With a minimum length of 0, `flush` calls back before the lines are written.
  const lines = destination({ fd: 2, sync: false, minLength: 1, maxLength: maxUnreadBytes });
  // A client may close stderr, and the server goes on.
  lines.on("error", () => {});
  // For an exit without `flush`. Lines that are being written at this moment may be lost.
  process.on("exit", () => {
    try {
      lines.flushSync();
    } catch {
      // stderr is closed.
    }
  });
  return lines;
}

/** The fields of a call's line. Arguments, results, messages of failures and credentials are not among them. */
function callFields({ id, parent, context, tool, facet, outcome, ms, trace }: FinishedCall): object {
  const { requestId, auth } = context;
  return {
    call: id,
    parent,
    request: requestId === undefined ? undefined : cleanName(String(requestId)),
    ...callerFields(auth),
    tool,
    facet,
    ms,
    outcome,
    trace: trace?.traceparent.slice(3, 35),
  };
}

const maxIdLength = 200;

/** Identifies the caller. The principal of a caller without a subject contains its token, so it is hashed. */
function callerFields(auth: unknown): { readonly principal?: string; readonly issuer?: string } {
  const principal = principalOf(auth);
  if (principal === "") return {};
  const { sub, iss } = (auth as { readonly extra?: { readonly sub?: unknown; readonly iss?: unknown } }).extra ?? {};
  if (typeof sub !== "string") {
    return { principal: `sha256:${createHash("sha256").update(principal).digest("hex").slice(0, 16)}` };
  }
  return {
    principal: printableText(sub, maxIdLength),
    issuer: typeof iss === "string" ? printableText(iss, maxIdLength) : undefined,
  };
}
