import type { Command } from "commander";
import { splitNames } from "../config/settings.ts";
import { collect } from "./flags.ts";
import type { AddTokenFlags, TokenFileFlags } from "../commands/tokens.ts";

/** Adds the commands that write and show a token file. */
export function addTokenCommands(program: Command): void {
  const tokens = program.command("tokens").description("manage the bearer tokens of serve --http");

  addFileFlag(tokens.command("add").description("create a token, and print it once to stdout"))
    .argument("<name>", "name of the caller, for lists and logs")
    .option("--facets <names>", "packs that the token may use (default: all, or none with --tools)", splitNames)
    .option("--tools <names>", "single tools that the token may use, in addition to --facets", splitNames)
    .option("--read-only", "refuse all tools that change anything")
    .option(
      "--root <dir>",
      "folder whose files the token may access (repeatable; default: the server's roots)",
      collect,
    )
    .option("--workspaces <ids>", "workspaces that the token may open (default: the server's)", splitNames)
    .option("--rate <limit>", "maximum requests per period, such as 100/60s (default: the server's)")
    .option("--expires <time>", "time until the token expires, such as 90d or 12h (default: never)")
    .action(async (name: string, flags: AddTokenFlags) =>
      (await import("../commands/tokens.ts")).addToken(name, flags),
    );

  addFileFlag(tokens.command("list").description("list the tokens: names, ids, rights and dates"))
    .option("--json", "print JSON")
    .action(async (flags: TokenFileFlags & { json?: boolean }) =>
      (await import("../commands/tokens.ts")).listTokens(flags),
    );

  addFileFlag(tokens.command("rotate").description("give a token a new secret, and print the new token once to stdout"))
    .argument("<token>", "name or id of the token")
    .option("--expires <time>", "time until the token expires, such as 90d (default: as before)")
    .action(async (named: string, flags: TokenFileFlags & { expires?: string }) =>
      (await import("../commands/tokens.ts")).rotateToken(named, flags),
    );

  addFileFlag(tokens.command("revoke").description("remove a token; running servers refuse it within a second"))
    .argument("<token>", "name or id of the token")
    .action(async (named: string, flags: TokenFileFlags) =>
      (await import("../commands/tokens.ts")).revokeToken(named, flags),
    );
}

function addFileFlag(command: Command): Command {
  return command.option("--file <file>", "token file (default: tokens.json in the user's settings folder)");
}
