import { absolutePaths, definePack, listOption } from "@toolpacks/core";
import { z } from "zod";

const megabyte = 1024 * 1024;

/** Parts that are not empty, `.` or `..`, with slashes between them. */
const protectedNamePattern = /^(?!\.{1,2}(\/|$))[^/]+(\/(?!\.{1,2}(\/|$))[^/]+)*$/;

const protectedName = z
  .string()
  .max(200)
  .regex(protectedNamePattern, "expected a name such as .git or .vscode/tasks.json");

/** The filesystem pack: reads, lists, edits, moves and deletes files within given roots. Nothing outside the roots is reachable. */
export const filesystem = definePack({
  name: "filesystem",
  description: ({ write }) =>
    write
      ? "Read, list, search by name, write, edit, move and delete files and directories."
      : "Read and list files and directories, and search them by name.",
  budget: 900,
  options: z.strictObject({
    roots: z.array(z.string().min(1)).min(1).describe("directories within which files may be reached"),
    write: z.boolean().default(false).describe("offer the tools that change files"),
    protect: z
      .union([z.boolean(), z.array(protectedName).max(100)])
      .default(true)
      .describe("names that are read and never changed, instead of the default ones; false for none"),
    protectedPaths: absolutePaths.describe("absolute paths of further files and folders that are never changed"),
    maxReadBytes: z
      .int()
      .min(1024)
      .max(16 * megabyte)
      .default(256 * 1024)
      .describe("maximum bytes of text in one read"),
    timeoutMs: z
      .int()
      .min(100)
      .max(600_000)
      .default(30_000)
      .describe("milliseconds after which a list ends with what it has"),
    list: listOption("entries", { over: 20, show: 20 }),
  }),
  tools: async (options) => (await import("./tools.ts")).createTools(options),
  withheld: ({ write }) => (write ? [] : [{ names: writingTools, reason: "writing is off", hint: writeHint }]),
});

const writingTools = ["fs_write", "fs_edit", "fs_move", "fs_copy", "fs_delete", "fs_mkdir"];
const writeHint = "The user can allow it: start with --write, or filesystem({ roots, write: true }).";
