import { defineTool, detail, handleReader, reply, type Reply, type Tool, type ToolContext } from "@toolpacks/core";
import { z } from "zod";

const maxWindow = 50;

const input = z.object({
  handle: z.string().max(4_000).meta(detail("as it was given; may have a range, #lines=10-20 or #json=$.items[0]")),
  mode: z
    .enum(["whole", "slice", "lines", "grep", "pick", "query", "length"])
    .optional()
    .meta(detail("default: by the pattern (SQL, JSONPath, otherwise grep); without one, a page from the start")),
  start: z.int().optional().describe("< 0: from end"),
  count: z
    .int()
    .min(0)
    .optional()
    .meta(detail("of characters (slice, from 0), lines (from 1), matches or rows; default: a page")),
  pattern: z.string().max(2_000).optional().describe("RE2, JSONPath or SQL on t"),
  window: z
    .int()
    .min(0)
    .optional()
    .meta(detail(`lines around a match of grep, at most ${maxWindow}`)),
});

/** The arguments of `relay_read`. A negative `start` counts from the end; with grep, pick and query it is the number of results to skip. */
export type RelayReadRequest = z.output<typeof input>;

/** A text, or an image or sound. */
export type RelayReply = Pick<Reply, "blocks">;

/**
 * `relay_read`: reads a part of a stored value. The server's tool and the tool beside another server's tools share this definition.
 */
export function relayReadTool(read: (request: RelayReadRequest, context: ToolContext) => Promise<RelayReply>): Tool {
  return defineTool({
    name: handleReader,
    description: "Read a relay:// value.",
    keywords: ["handle", "large result", "open", "page", "search in a result", "jsonpath", "rest of it", "sql", "csv"],
    examples: [
      { say: "the next page", args: { handle: "relay://…", start: 8000 } },
      { say: "the last ten lines", args: { handle: "relay://…", mode: "lines", start: -10 } },
      { say: "lines with an error", args: { handle: "relay://…", mode: "grep", pattern: "(?i)error", window: 2 } },
      { say: "every name", args: { handle: "relay://…", mode: "pick", pattern: "$.items[*].name" } },
      {
        say: "count the rows of JSON, JSON lines or CSV by a column; no pattern: columns and three rows",
        args: { handle: "relay://…", mode: "query", pattern: "SELECT state, count(*) FROM t GROUP BY 1" },
      },
    ],
    mutates: false,
    media: true,
    takesHandles: ["handle"],
    input,
    output: z.looseObject({}),
    handler: async ({ window = 0, ...request }, context) =>
      reply((await read({ ...request, window: Math.min(window, maxWindow) }, context)).blocks),
  });
}
