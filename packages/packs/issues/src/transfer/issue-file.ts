import { ToolError, quoteName } from "@toolpacks/core";
import { type Roots, writeAtomically } from "@toolpacks/files";

interface IssueFile {
  readonly path: string;
  /** Whether to replace an existing file. */
  readonly overwrite: boolean;
}

/** Writes a file atomically. A failure leaves the folder unchanged. */
export async function writeIssueFile(
  roots: Roots,
  { path, overwrite }: IssueFile,
  lines: AsyncIterable<string>,
): Promise<{ readonly issues: number; readonly bytes: number; readonly shown: string }> {
  // An export cannot overwrite other files.
  if (!path.endsWith(".jsonl")) throw new ToolError("invalid_input", "path: expected the name of a .jsonl file");
  return roots.at(
    path,
    async ({ directory, name, shown, isRoot }) => {
      if (isRoot) throw new ToolError("invalid_input", `${quoteName(shown)}: expected a file, this is a root`);
      let [issues, bytes] = [0, 0];
      async function* counted() {
        for await (const line of lines) {
          issues += 1;
          bytes += Buffer.byteLength(line) + 1;
          yield `${line}\n`;
        }
      }
      await writeAtomically({ directory, name }, counted(), { overwrite }).catch((error: unknown) => {
        if (!isExisting(error)) throw error;
        throw new ToolError(
          "conflict",
          `${quoteName(shown)}: it exists already`,
          "Pass overwrite: true to replace it.",
        );
      });
      return { issues, bytes, shown };
    },
    { access: "write" },
  );
}

function isExisting(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EEXIST";
}
