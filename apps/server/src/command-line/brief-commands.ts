import { Argument, InvalidArgumentError, type Command } from "commander";
import type { BriefFlags } from "../commands/brief.ts";
import type { HookFlags } from "../commands/hook.ts";
import type { HooksFlags } from "../commands/hooks.ts";
import { addProjectFlags } from "./record-flags.ts";

/** Adds the command that prints a briefing. */
export function addBriefCommand(program: Command): void {
  addProjectFlags(
    program
      .command("brief")
      .description("print what an agent should know when it begins: issues, facts, the last session")
      .option("--tokens <count>", "maximum number of tokens (default: 800)", tokensUpTo(20_000))
      .option("--json", "print JSON"),
  ).action(async (flags: BriefFlags) => (await import("../commands/brief.ts")).brief(flags));
}

/** Adds the command that sets the hooks of clients, and the command that these hooks run. */
export function addHookCommands(program: Command): void {
  program
    .command("hooks")
    .description(
      "let a client show a briefing when a session begins, and save a state before it compacts and at the end",
    )
    .addArgument(new Argument("<client>", "the client").choices(["claude-code", "codex", "cursor"]))
    .option("--config <file>", "config file for the hooks (default: that of the client's entry, else the nearest one)")
    .option("--store <address>", "store for the hooks (default: that of the client's entry, else the user's own)")
    .option("--workspace <id>", "workspace of the records (default: the workspace of the session's folder)")
    .option("--tokens <count>", "maximum number of tokens of a briefing (default: 800)", tokensUpTo(2_000))
    .option("--print", "only print what would be written")
    .option("--undo", "remove the hooks again")
    .action(async (client: string, flags: HooksFlags) => (await import("../commands/hooks.ts")).hooks(client, flags));

  // Options of another version must not fail the start of a session.
  addProjectFlags(program.command("hook", { hidden: true }).description("answer an event of a client's session"))
    .argument("[client]", "the client")
    .option("--tokens <count>", "maximum number of tokens of a briefing")
    .allowUnknownOption()
    .allowExcessArguments()
    .action(async (client: string | undefined, flags: HookFlags) =>
      (await import("../commands/hook.ts")).hook(client ?? "", flags),
    );
}

const minTokens = 200;

function tokensUpTo(max: number): (text: string) => number {
  return (text) => {
    const count = Number(text);
    if (Number.isInteger(count) && count >= minTokens && count <= max) return count;
    throw new InvalidArgumentError(`expected a whole number from ${minTokens} to ${max}`);
  };
}
