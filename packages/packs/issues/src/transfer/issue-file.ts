import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { open, rename, unlink, type FileHandle } from "node:fs/promises";
import { ToolError } from "@toolpacks/core";
import { quoteName, type Roots } from "@toolpacks/core/roots";

/** Files of issues are told from others by their names, so that no call can write over something else. */
const isIssueFile = (path: string) => path.endsWith(".jsonl");

/** Replaces a file whole, or leaves it as it was. */
export async function writeIssueFile(
  roots: Roots,
  path: string,
  lines: AsyncIterable<string>,
): Promise<{ readonly issues: number; readonly bytes: number; readonly shown: string }> {
  if (!isIssueFile(path)) throw new ToolError("invalid_input", "path: expected the name of a .jsonl file");
  return roots.at(
    path,
    async ({ directory, name, shown, isRoot }) => {
      if (isRoot) throw new ToolError("invalid_input", `${quoteName(shown)}: expected a file, this is a root`);
      const temporary = directory.at(`.issues.${randomUUID().slice(0, 8)}.tmp`);
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
      const file = await open(temporary, flags, 0o666);
      try {
        const written = await writeLines(file, lines);
        await rename(temporary, directory.at(name));
        await directory.sync();
        return { ...written, shown };
      } catch (error) {
        await unlink(temporary).catch(() => {});
        throw error;
      }
    },
    { access: "write" },
  );
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
