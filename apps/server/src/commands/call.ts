import { renderFailure, type ContentBlock } from "@toolpacks/core";
import type { Flags } from "../config/settings.ts";
import { prepare } from "../prepare.ts";

/** `toolpacks call`: one dispatch. The result on stdout; a failure on stderr, with exit code 1, and what succeeded all the same on stdout. */
export async function call(request: { tool: string; args: unknown }, flags: Flags & { json?: boolean }): Promise<void> {
  const { surface, mounting, finish } = await prepare(flags, { quiet: "error" });
  await Promise.all(
    mounting.upstreams.filter(({ remote }) => request.tool.startsWith(remote.prefix)).map((pack) => pack.ready()),
  );
  const interrupted = new AbortController();
  process.once("SIGINT", () => interrupted.abort());
  const { outcome } = await surface.call({
    name: request.tool,
    args: request.args,
    signal: interrupted.signal,
    // A script has no conversation to keep short.
    context: { takes: "whole" },
  });
  await finish();
  if (!outcome.ok) {
    const { blocks = [], value } = outcome;
    if (value !== undefined) {
      const text = flags.json === true ? JSON.stringify(value) : shownBlocks(blocks);
      process.stdout.write(text.endsWith("\n") ? text : `${text}\n`);
    }
    process.stderr.write(`${flags.json === true ? JSON.stringify(outcome.failure) : renderFailure(outcome.failure)}\n`);
    process.exitCode = 1;
    return;
  }
  const blocks = outcome.blocks && shownBlocks(outcome.blocks);
  const shown = flags.json === true ? JSON.stringify(outcome.value ?? outcome.blocks) : (blocks ?? outcome.text);
  process.stdout.write(shown.endsWith("\n") ? shown : `${shown}\n`);
  if (outcome.notice !== undefined) process.stderr.write(`${outcome.notice}\n`);
}

function shownBlocks(blocks: readonly ContentBlock[]): string {
  return blocks.map((block) => (block.type === "text" ? block.text : JSON.stringify(block))).join("\n");
}
