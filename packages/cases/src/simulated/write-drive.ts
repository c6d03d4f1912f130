import { createHash } from "node:crypto";
import { defineTool, type Tool } from "@toolpacks/core";
import { z } from "zod";

/** Creates the tool `write_drive`. @param drive files by path; a call adds a file */
export function writeDrive(drive: Map<string, string>): Tool {
  return defineTool({
    name: "write_drive",
    description: "Write a file to the drive.",
    mutates: true,
    effects: { idempotent: true },
    input: z.object({
      path: z
        .string()
        .max(200)
        .regex(/^(?!\/)[^\\]+[^/\\]$/, "expected a path within the drive: talks/opening.txt")
        .describe("where, such as talks/opening.txt"),
      content: z.string().max(10_000_000).describe("the whole file"),
    }),
    output: z.object({ path: z.string(), bytes: z.int(), sha256: z.string() }),
    text: ({ path, bytes, sha256 }) => `wrote ${path}, ${bytes} bytes, sha256 ${sha256.slice(0, 12)}`,
    handler({ path, content }) {
      drive.set(path, content);
      return { path, bytes: Buffer.byteLength(content), sha256: createHash("sha256").update(content).digest("hex") };
    },
  });
}
