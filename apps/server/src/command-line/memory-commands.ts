import type { Command } from "commander";
import type { Flags } from "../config/settings.ts";
import type { RecallFlags } from "../commands/memory-recall.ts";
import type { RememberFlags } from "../commands/memory-remember.ts";
import { collect, parseCount } from "./flags.ts";
import { addProjectFlags, parseWhole } from "./record-flags.ts";

/** Adds the commands that show and change what is known. */
export function addMemoryCommands(program: Command): void {
  const memory = program.command("memory").description("recall, remember and connect what is known");

  addProjectFlags(
    memory
      .command("recall")
      .description("find what is known, by words")
      .argument("[words]", "words or a question (default: the newest)")
      .option("--about <entity>", "only what is about this entity")
      .option("--tag <name>", "only what has this tag (repeatable)", collect)
      .option("--as-of <date>", "only what held at the end of this date, or at this time (UTC)")
      .option("--history", "also what no longer holds")
      .option("--limit <count>", "maximum number of observations, up to 200", parseCount, 10)
      .option("--json", "print JSON"),
  ).action(async (words: string | undefined, flags: RecallFlags) =>
    (await import("../commands/memory-recall.ts")).recall(words, flags),
  );

  addProjectFlags(
    memory
      .command("remember")
      .description("remember a text")
      .argument("<text>", "what to remember")
      .option("--about <entity>", "name of what it is about (repeatable)", collect)
      .option("--tag <name>", "tag (repeatable)", collect)
      .option("--source <text>", "where it is known from")
      .option("--supersedes <id>", "id of the observation that no longer holds")
      .option("--json", "print JSON"),
  ).action(async (text: string, flags: RememberFlags) =>
    (await import("../commands/memory-remember.ts")).remember(text, flags),
  );

  addProjectFlags(
    memory
      .command("graph")
      .description("show an entity, its neighbours and their relations")
      .argument("<entity>", "name of the entity")
      .option("--depth <count>", "maximum number of relations between it and a neighbour (default: 1)", parseWhole)
      .option("--limit <count>", "maximum number of entities (default: 20)", parseCount)
      .option("--json", "print JSON"),
  ).action(async (entity: string, flags: Flags & { depth?: number; limit?: number; json?: boolean }) =>
    (await import("../commands/memory-graph.ts")).showGraph(entity, flags),
  );
}
