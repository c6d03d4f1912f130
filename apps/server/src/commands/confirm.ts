import { createInterface } from "node:readline/promises";
import { ConfigurationError } from "@toolpacks/core";
import type { Io } from "@toolpacks/terminal";

/**
 * Asks the person at the terminal a question. Only `y` and `yes` agree.
 *
 * @throws ConfigurationError with `otherwise`, what to do without a terminal
 */
export async function confirm({ stdin, stdout }: Io, question: string, otherwise: string): Promise<boolean> {
  if (stdin.isTTY !== true || stdout.isTTY !== true) throw new ConfigurationError(otherwise);
  const terminal = createInterface({ input: stdin, output: stdout });
  const answer = await terminal.question(`${question} [y/N] `).finally(() => terminal.close());
  return /^y(es)?$/i.test(answer.trim());
}
