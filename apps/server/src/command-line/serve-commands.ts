import { Option, type Command } from "commander";
import type { RelayFlags } from "../commands/relay.ts";
import { hosts, selectHost, type ServeFlags } from "../hosts/hosts.ts";
import { addMountFlags, collect, parseCount } from "./flags.ts";
import { addTokenCommands } from "./token-commands.ts";

/** Adds the commands that serve. */
export function addServeCommands(program: Command): void {
  addHostFlags(
    addMountFlags(program.command("serve", { isDefault: true }).description("serve MCP over stdio (the default)")),
  )
    // The program refuses an operand with the nearest command.
    .allowExcessArguments()
    .option("--watch", "reload the config file when it changes")
    .action(async (flags: ServeFlags) => (await import("../commands/serve.ts")).serve(flags, selectHost(flags).open));

  program
    .command("relay")
    .description("relay between a client and another server, and replace its large results by handles")
    .usage("[options] (-- <command> [args...] | --url <address>)")
    .argument("[command...]", "command that starts the server")
    .option("--url <address>", "address of a Streamable HTTP server, instead of a command")
    .option("--header <line>", "HTTP header for --url, as `Name: value` (repeatable)", collect)
    .option("--values <folder>", "keep values in this folder for a day (default: in memory, until the relay ends)")
    .option(
      "--threshold-tokens <count>",
      "tokens of a result from which it is replaced by a handle (default: 4000)",
      parseCount,
    )
    .option("--max-message-bytes <bytes>", "maximum size of a message (default: 67108864)", parseCount)
    .addOption(new Option("--boxing <mode>", "form of handles in results").choices(["opaque", "json"]))
    .action(async (command: string[], flags: RelayFlags) =>
      (await import("../commands/relay.ts")).relay(command, flags),
    );

  addTokenCommands(program);
}

/** Adds the flags of each host. */
function addHostFlags(command: Command): Command {
  for (const option of hosts.flatMap(({ options }) => options)) command.addOption(option);
  return command;
}
