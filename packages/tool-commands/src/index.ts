export { buildCallArguments, readCallArguments, type CallArguments } from "./call-arguments.ts";
export type { CommandCall, CommandTool, NamedTool, ToolSource } from "./command-tool.ts";
export { printList, printOutcome, withListLimit, type ListFlags } from "./print-outcome.ts";
export { fieldsOf, flagsOf, kebab, positionalFields, type SchemaField } from "./schema-flags.ts";
export { connectTools, type ServerAddress } from "./server-tools.ts";
export { readToolArguments } from "./tool-arguments.ts";
export { findTool, leadingWords, nearestInPack, wordsInPack } from "./tool-words.ts";
