import { type CommandGroup, flag, parseCount } from "@toolpacks/command-line";
import { Option } from "commander";
import { jsonFlag, mountFlags, urlFlag } from "./flags.ts";

/** Loads the commands of the tools. */
export async function loadTools() {
  const [commands, { toolProgram }] = await Promise.all([
    import("@toolpacks/tool-commands"),
    import("./tool-program.ts"),
  ]);
  return { ...commands, toolProgram };
}

/** The commands that show tools, and the one that calls any tool. */
export const toolGroup: CommandGroup = {
  title: "Tools:",
  commands: [
    {
      name: "tools",
      summary: "list the mounted tools by facet",
      flags: [jsonFlag],
      shared: mountFlags,
      examples: ["toolpacks tools", "toolpacks tools --facet issues --json"],
      load: async () => (await import("../commands/tools.ts")).tools,
    },
    {
      name: "budget",
      summary: "show the tokens of each tool, pack and surface, and the budgets",
      flags: [new Option("--check", "exit with code 1 if a pack or surface exceeds its budget"), jsonFlag],
      shared: mountFlags,
      examples: ["toolpacks budget --check"],
      load: async () => (await import("../commands/budget.ts")).budget,
    },
    {
      name: "call",
      summary: "call one tool and print its result",
      operands: [
        ["<tool>", "name of the tool"],
        ["[args...]", "arguments of the tool: path=README.md, limit:=5, JSON, @file, or - for stdin"],
      ],
      flags: [new Option("--json", "print the structured result as JSON"), urlFlag],
      shared: mountFlags,
      examples: [
        "toolpacks call fs_read path=README.md",
        "toolpacks call issue_create issues.0.title=Fix",
        'toolpacks call store_put kind=note record:=\'{"text": "hello"}\'',
        "toolpacks call store_put @note.json       or - for stdin",
      ],
      complete: async (io, before) => {
        if (before.length > 1) return [];
        const { toolNames, toolProgram } = await loadTools();
        return toolNames(io, toolProgram);
      },
      async load() {
        const { callTool, toolProgram } = await loadTools();
        return (io, flags, ...[name, words]) => callTool(io, toolProgram, { flags, name, words });
      },
    },
    {
      name: "undo",
      summary: "take back what the last session of this project changed",
      operands: [["[call]", "only this call"]],
      flags: [
        new Option("--list", "list the calls that changed something"),
        new Option("--dry-run", "only show the diff"),
        new Option("--yes", "do not ask"),
      ],
      shared: mountFlags,
      // The tool `undo_list` has this name, too.
      isOther: ([first]) => first === "list",
      examples: ["toolpacks undo --dry-run", "toolpacks undo --yes"],
      load: async () => (await import("../commands/undo.ts")).undo,
    },
    {
      name: "search",
      summary: "rank tools for a sentence, as tool_search does",
      operands: [["[sentence]", "one action that a tool should do, in plain words"]],
      flags: [
        new Option(
          "--catalog <file>",
          "rank the tools in a JSON or JSONL file: {name, description, inputSchema?, pack?}",
        ),
        new Option("--queries <file>", "answer each {query} of a JSONL file"),
        flag("--limit <count>", "maximum number of tools per sentence", parseCount).default(10),
        new Option("--json", "print one JSON line per sentence: {query, names, ms}"),
      ],
      shared: mountFlags,
      // The pack `search` has the name of this command, which takes one sentence.
      isOther: ([first = "-", second = "-"]) => !first.startsWith("-") && !second.startsWith("-"),
      examples: [
        'toolpacks search "read a file"',
        "toolpacks search --catalog tools.json --queries questions.jsonl --json",
      ],
      load: async () => (await import("../commands/search.ts")).search,
    },
  ],
};
