import { renderFailure, type ContentBlock } from "@toolpacks/core";
import { printableJson } from "@toolpacks/core/terminal";
import type { Flags } from "../config/settings.ts";
import { createRuntime } from "../mount/runtime.ts";
import { printError, printResult } from "../print.ts";
import { announceWaiting, waitForServers } from "./announce-waiting.ts";
import { buildCallArguments, readCallArguments } from "./call-arguments.ts";
import { inputSchemaOf } from "./input-schema.ts";

/**
 * `toolpacks call`: calls one tool and prints the result on stdout. A failure is printed on stderr, with exit code 1. A partial result of a failed
 * call is printed on stdout.
 */
export async function call(
  request: { readonly tool: string; readonly words: readonly string[] },
  flags: Flags & { json?: boolean },
): Promise<void> {
  const given = await readCallArguments(request.words);
  const { surface, mounting, finish } = await createRuntime(flags, { quiet: "error" });
  const servers = mounting.upstreams.filter(({ remote }) => request.tool.startsWith(remote.prefix));
  await waitForServers(servers);
  const interrupted = new AbortController();
  process.once("SIGINT", () => interrupted.abort());
  // The server may be started only now.
  const stop = announceWaiting(new Set(servers.map(({ name }) => name)));
  const outcome = await surface
    .call({
      name: request.tool,
      args: buildCallArguments(
        given,
        given.pairs.length === 0 ? undefined : await inputSchemaOf(surface, request.tool),
      ),
      // A script needs the full result, not a handle.
      context: { signal: interrupted.signal, resultMode: "full" },
    })
    .finally(stop);
  await finish();
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
