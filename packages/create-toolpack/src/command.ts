import { createInterface } from "node:readline/promises";
import { parseArgs } from "node:util";
import { parsePackName, type PackName } from "./pack-name.ts";

export const help = `Usage: npm create toolpack <name> -- [--store | --no-store]

Creates a folder with a tool pack for MCP servers: source, test, README and CI workflow.

  <name>         npm name, such as my-pack or @me/my-pack
  --store        the pack keeps records in a store
  --no-store     the pack keeps no records (default where there is no terminal)
  -h, --help     show this help

On a terminal, the command asks for what the arguments leave open.
`;

export interface PackChoice {
  readonly name: PackName;
  readonly hasStore: boolean;
}

/**
 * Reads the arguments, and asks on a terminal for what they leave open.
 *
 * @returns undefined if help is asked for
 * @throws Error that names the wrong argument
 */
export async function readChoice(args: readonly string[]): Promise<PackChoice | undefined> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    allowNegative: true,
    options: { store: { type: "boolean" }, help: { type: "boolean", short: "h" } },
  });
  if (values.help === true) return undefined;
  const [name, unexpected] = positionals;
  if (unexpected !== undefined) throw new Error(`unexpected argument "${unexpected}": expected one name`);
  if (name !== undefined) {
    const parsed = parsePackName(name);
    return { name: parsed, hasStore: values.store ?? /^y/i.test((await ask("Keep records in a store? [y/N] ")) ?? "") };
  }
  const answer = await ask("Name of the pack: ");
  if (answer === undefined) throw new Error("missing name: expected npm create toolpack <name>");
  return readChoice([...args, answer.trim()]);
}

async function ask(question: string): Promise<string | undefined> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
}
