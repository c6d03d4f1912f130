import { renderFailure, type ContentBlock } from "@toolpacks/core";
import { printableJson } from "@toolpacks/terminal";
import type { Flags } from "../config/settings.ts";
import type { Io } from "../io.ts";
import { printError, printResult } from "../print.ts";
import { readCallArguments } from "./call-arguments.ts";
import { withRequests } from "./open-tools.ts";

/**
 * `toolpacks call`: calls one tool and prints the result on stdout. A failure is printed on stderr, with exit code 1. A partial result of a failed
 * call is printed on stdout.
 */
export async function call(
  io: Io,
  flags: Flags & { json?: boolean },
  { tool, words }: { readonly tool: string; readonly words: readonly string[] },
): Promise<number> {
  const args = await readCallArguments(io, words);
  const outcome = await withRequests({ io, flags, quiet: "error" }, (send, options) =>
    send("call", { tool, args }, options),
  );
  if (!outcome.ok) {
    const { blocks = [], value } = outcome;
    if (value !== undefined) {
      const text = flags.json === true ? printableJson(value) : renderBlocks(blocks);
      printResult(io, text);
    }
    if (flags.json === true) printError(io, printableJson(outcome.failure));
    else printError(io, ...renderFailure(outcome.failure).split("\n"));
    return 1;
  }
  const blocks = outcome.blocks && renderBlocks(outcome.blocks);
  const shown = flags.json === true ? printableJson(outcome.value ?? outcome.blocks) : (blocks ?? outcome.text);
  printResult(io, shown);
  if (outcome.notice !== undefined) printError(io, ...outcome.notice.split("\n"));
  return 0;
}

function renderBlocks(blocks: readonly ContentBlock[]): string {
  return blocks.map((block) => (block.type === "text" ? block.text : JSON.stringify(block))).join("\n");
}
