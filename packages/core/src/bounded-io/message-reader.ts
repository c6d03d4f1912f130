import { exceededBound, exceededMessage, messageBounds, type JsonBounds } from "./json-bounds.ts";
import { createLineReader, endsOf, type LongLine } from "./line-reader.ts";
import { messageInfo, type MessageInfo } from "./message-info.ts";

/** Default maximum size of one message in bytes. */
export const maxMessageBytes = 64 * 1024 * 1024;

/** A message that exceeds a limit. Only its two ends are known. */
export interface OversizedMessage extends MessageInfo {
  /** The exceeded limit: "larger than 67,108,864 bytes". */
  readonly reason: string;
}

export interface MessageListener {
  /** Gets each line that may be parsed, without its line break. Empty lines are skipped. */
  readonly line: (line: Buffer) => void;
  readonly oversized: (message: OversizedMessage) => void;
}

/**
 * Reads JSON-RPC messages, one per line, from chunks of bytes. A message that exceeds `maxBytes` or `bounds` is reported and not kept.
 */
export function createMessageReader(
  { line, oversized }: MessageListener,
  maxBytes: number = maxMessageBytes,
  bounds: JsonBounds = messageBounds,
): (chunk: Buffer) => void {
  const report = (ends: LongLine, reason: string) => oversized({ ...messageInfo(ends), reason });
  return createLineReader(maxBytes, {
    line(message) {
      if (message.length === 0) return;
      const bound = exceededBound(message, bounds);
      if (bound === undefined) line(message);
      else report(endsOf(message), exceededMessage(bound, bounds));
    },
    tooLong: (ends) => report(ends, `larger than ${maxBytes.toLocaleString("en")} bytes`),
  });
}
