import { styleText } from "node:util";
import { type CommandEntry, type CommandGroup, collect, flag, parseCount } from "@toolpacks/command-line";
import { Option } from "commander";
import { splitNames } from "../config/settings.ts";
import { hosts, selectHost, type ServeFlags } from "../hosts/hosts.ts";
import type { Io } from "@toolpacks/terminal";
import { jsonFlag, mountFlags } from "./flags.ts";

const environment = `${styleText("bold", "Environment:", { validateStream: false })}
  [$…] after a flag is its variable. A flag overrides its variable, and both
  override the config file. Flags without [$…] have no variable.
  TOOLPACKS_ROOTS       folders, separated as in PATH
  TOOLPACKS_ACTOR       name of the session, for packs that record who made a
                        change (default: none)
  TOOLPACKS_SECRET_KEY  key for sign-ins in a shared store (default: none)
  NO_COLOR              no colours; FORCE_COLOR=1: colours also in a pipe
  All settings, also those without a flag: toolpacks config schema`;

export const serveCommand: CommandEntry = {
  name: "serve",
  summary: "serve MCP over stdio (the default)",
  flags: [...hosts.flatMap(({ options }) => options), new Option("--watch", "reload the config file when it changes")],
  shared: mountFlags,
  note: environment,
  isServer: true,
  examples: [
    "toolpacks --root .                       read-only, over stdio",
    "toolpacks --root . --write               with the tools that change files",
    "toolpacks serve --http --tokens t.json   many clients over HTTP",
    "toolpacks --facet issues                 one pack, its tools listed directly",
  ],
  async load() {
    const { serve } = await import("../commands/serve.ts");
    return (io: Io, flags: ServeFlags) => serve(io, flags, selectHost(flags).open);
  },
};

const relayCommand: CommandEntry = {
  name: "relay",
  summary: "relay between a client and another server, and replace its large results by handles",
  usage: "[options] (-- <command> [args...] | --url <address>)",
  operands: [["[command...]", "command that starts the server"]],
  flags: [
    new Option("--url <address>", "address of a Streamable HTTP server, instead of a command"),
    flag("--header <line>", "HTTP header for --url, as `Name: value` (repeatable)", collect),
    new Option("--values <folder>", "keep values in this folder for a day (default: in memory, until the relay ends)"),
    flag(
      "--threshold-tokens <count>",
      "tokens of a result from which it is replaced by a handle (default: 4000)",
      parseCount,
    ),
    flag("--max-message-bytes <bytes>", "maximum size of a message (default: 67108864)", parseCount),
    new Option("--boxing <mode>", "form of handles in results").choices(["opaque", "json"]),
  ],
  isServer: true,
  examples: [
    "toolpacks relay -- npx -y some-mcp-server",
    "toolpacks relay --url https://example.com/mcp --header 'X-Api-Key: x'",
  ],
  load: async () => (await import("../commands/relay.ts")).relay,
};

const tokenFile = new Option("--file <file>", "token file (default: tokens.json in the user's settings folder)");

const tokenCommands: readonly CommandEntry[] = [
  {
    name: "tokens add",
    summary: "create a token, and print it once to stdout",
    operands: [["<name>", "name of the caller, for lists and logs"]],
    flags: [
      tokenFile,
      flag("--facets <names>", "packs that the token may use (default: all, or none with --tools)", splitNames),
      flag("--tools <names>", "single tools that the token may use, in addition to --facets", splitNames),
      new Option("--read-only", "refuse all tools that change anything"),
      flag(
        "--root <dir>",
        "folder whose files the token may access (repeatable; default: the server's roots)",
        collect,
      ),
      flag("--workspaces <ids>", "workspaces that the token may open (default: the server's)", splitNames),
      new Option("--rate <limit>", "maximum requests per period, such as 100/60s (default: the server's)"),
      new Option("--expires <time>", "time until the token expires, such as 90d or 12h (default: never)"),
    ],
    examples: ["toolpacks tokens add ci --facets issues --expires 90d"],
    load: async () => (await import("../commands/tokens.ts")).addToken,
  },
  {
    name: "tokens list",
    summary: "list the tokens: names, ids, rights and dates",
    flags: [tokenFile, jsonFlag],
    examples: ["toolpacks tokens list --json"],
    load: async () => (await import("../commands/tokens.ts")).listTokens,
  },
  {
    name: "tokens rotate",
    summary: "give a token a new secret, and print the new token once to stdout",
    operands: [["<token>", "name or id of the token"]],
    flags: [
      tokenFile,
      new Option("--expires <time>", "time until the token expires, such as 90d (default: as before)"),
    ],
    examples: ["toolpacks tokens rotate ci --expires 90d"],
    load: async () => (await import("../commands/tokens.ts")).rotateToken,
  },
  {
    name: "tokens revoke",
    summary: "remove a token; running servers refuse it within a second",
    operands: [["<token>", "name or id of the token"]],
    flags: [tokenFile],
    examples: ["toolpacks tokens revoke ci"],
    load: async () => (await import("../commands/tokens.ts")).revokeToken,
  },
];

export const serveGroup: CommandGroup = { title: "Serve:", commands: [serveCommand, relayCommand, ...tokenCommands] };
