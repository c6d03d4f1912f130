import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { open, rename, unlink, type FileHandle } from "node:fs/promises";
import { ToolError } from "@toolpacks/core";
import { quoteName, type Roots } from "@toolpacks/core/roots";

/** Only .jsonl files are written, so that an export cannot overwrite other files. */
const isIssueFile = (path: string) => path.endsWith(".jsonl");

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
  if (!isIssueFile(path)) throw new ToolError("invalid_input", "path: expected the name of a .jsonl file");
  return roots.at(
    path,
    async ({ directory, name, shown, isRoot }) => {
      if (isRoot) throw new ToolError("invalid_input", `${quoteName(shown)}: expected a file, this is a root`);
      const temporary = directory.at(`.issues.${randomUUID().slice(0, 8)}.tmp`);
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
      if (!overwrite) await takeName(directory.at(name), shown);
      try {
        const file = await open(temporary, flags, 0o666);
        const written = await writeLines(file, lines);
        await rename(temporary, directory.at(name));
        await directory.sync();
        return { ...written, shown };
      } catch (error) {
        await unlink(temporary).catch(() => {});
        if (!overwrite) await unlink(directory.at(name)).catch(() => {});
        throw error;
      }
    },
    { access: "write" },
  );
}

/** Creates an empty file. Fails if the file exists, also if another process creates it at the same time. */
async function takeName(path: string, shown: string): Promise<void> {
  const file = await open(path, "wx", 0o666).catch((error: unknown) => {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    throw new ToolError("conflict", `${quoteName(shown)}: it exists already`, "Pass overwrite: true to replace it.");
  });
  await file.close();
}

async function writeLines(
  file: FileHandle,
  lines: AsyncIterable<string>,
): Promise<{ readonly issues: number; readonly bytes: number }> {
  let [issues, bytes, part] = [0, 0, ""];
  const flush = async () => {
    bytes += (await file.write(part)).bytesWritten;
    part = "";
  };
  try {
    for await (const line of lines) {
      issues += 1;
      part += `${line}\n`;
      if (part.length > 1_000_000) await flush();
    }
    await flush();
    await file.sync();
    return { issues, bytes };
  } finally {
    await file.close();
  }
}
