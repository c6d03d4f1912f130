import { renderFailure, type ContentBlock } from "@toolpacks/core";
import { printableJson } from "@toolpacks/terminal";
import type { Flags } from "../config/settings.ts";
import { printError, printResult } from "../print.ts";
import { readCallArguments } from "./call-arguments.ts";
import { withRequests } from "./open-tools.ts";

/**
 * `toolpacks call`: calls one tool and prints the result on stdout. A failure is printed on stderr, with exit code 1. A partial result of a failed
 * call is printed on stdout.
 */
export async function call(
  request: { readonly tool: string; readonly words: readonly string[] },
  flags: Flags & { json?: boolean },
): Promise<void> {
  const given = await readCallArguments(request.words);
  const outcome = await withRequests(flags, { quiet: "error" }, (send, options) =>
    send("call", { tool: request.tool, args: given }, options),
  );
  if (!outcome.ok) {
    const { blocks = [], value } = outcome;
    if (value !== undefined) {
      const text = flags.json === true ? printableJson(value) : renderBlocks(blocks);
      printResult(text);
    }
    if (flags.json === true) printError(printableJson(outcome.failure));
    else printError(...renderFailure(outcome.failure).split("\n"));
    process.exitCode = 1;
    return;
  }
  const blocks = outcome.blocks && renderBlocks(outcome.blocks);
  const shown = flags.json === true ? printableJson(outcome.value ?? outcome.blocks) : (blocks ?? outcome.text);
  printResult(shown);
  if (outcome.notice !== undefined) printError(...outcome.notice.split("\n"));
}

function renderBlocks(blocks: readonly ContentBlock[]): string {
  return blocks.map((block) => (block.type === "text" ? block.text : JSON.stringify(block))).join("\n");
}
