import { open } from "node:fs/promises";
import { ToolError } from "@toolpacks/core";
import { fileError } from "./file-error.ts";

/** Maximum number of characters in a line. The store's largest record is shorter. */
const maxLineLength = 64 * 1024 * 1024;

/**
 * Reads the lines of a file, or of stdin for `-`. The file is opened at once, and its lines are read on demand.
 * Only a line feed ends a line: JSON may hold other separators inside its strings.
 *
 * @throws ToolError that names the file; `too_large` for a line of more than 64 Mi characters
 */
export async function readLines(file: string): Promise<AsyncGenerator<string>> {
  try {
    return linesOf(file === "-" ? process.stdin : (await open(file)).createReadStream(), file);
  } catch (error) {
    throw fileError(error, file);
  }
}

async function* linesOf(input: NodeJS.ReadableStream, file: string): AsyncGenerator<string> {
  let rest = "";
  let number = 1;
  try {
    for await (const part of input.setEncoding("utf8") as AsyncIterable<string>) {
      rest += part;
      const lines = part.includes("\n") ? rest.split("\n") : [rest];
      if ((lines[0] ?? "").length > maxLineLength) {
        throw new ToolError("too_large", `${file}: line ${number}: expected at most ${maxLineLength} characters`);
      }
      rest = lines.pop() ?? "";
      number += lines.length;
      yield* lines;
    }
  } catch (error) {
    throw fileError(error, file);
  }
  if (rest !== "") yield rest;
}
