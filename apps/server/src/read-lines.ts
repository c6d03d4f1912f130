import { open } from "node:fs/promises";
import { ToolError } from "@toolpacks/core";
import { fileError } from "./file-error.ts";

/** A record and its JSON fit into a line of this length. */
const maxLineLength = 64 * 1_048_576;

/**
 * Reads the lines of a file, or of stdin for `-`. The file is opened at once, and its lines are read on demand.
 * Only a line feed ends a line: JSON may hold other separators inside its strings.
 *
 * @throws ToolError that names the file
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
  try {
    for await (const part of input.setEncoding("utf8") as AsyncIterable<string>) {
      rest += part;
      if (rest.length > maxLineLength) {
        throw new ToolError("too_large", `${file}: expected lines of at most ${maxLineLength} characters`);
      }
      if (!part.includes("\n")) continue;
      const lines = rest.split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
  } catch (error) {
    throw fileError(error, file);
  }
  if (rest !== "") yield rest;
}
