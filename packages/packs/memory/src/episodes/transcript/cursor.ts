import { personalText } from "./injected-text.ts";
import { fieldOf, itemsOf, messageOf, textOf, type RecordReader } from "./session-event.ts";

/** Reads a transcript of Cursor: `{role, message: {content}}` per line. It names no session, so it is not imported. */
export function createCursorReader(): RecordReader {
  return {
    client: "cursor",
    read(record) {
      const role = fieldOf(record, "role");
      if (role !== "user" && role !== "assistant") return [];
      return itemsOf(fieldOf(record, "message"), "content").flatMap((block) => {
        const text = textOf(block, "text") ?? "";
        return messageOf(role, role === "user" ? personalText(text) : text);
      });
    },
  };
}
