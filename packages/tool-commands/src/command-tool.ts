import type { JsonSchema, Outcome } from "@toolpacks/core";

/** A tool as a command sees it. */
export interface CommandTool {
  readonly name: string;
  /** The pack or other server that it belongs to. */
  readonly pack: string;
  readonly description: string;
  /** Its input schema with every limit, and its output schema. */
  readonly schemas: () => Promise<{ readonly input: JsonSchema; readonly output: JsonSchema | undefined }>;
}

/** The tool that words name, and the words after its name. */
export interface NamedTool {
  readonly tool: CommandTool;
  readonly rest: readonly string[];
}

export interface CommandCall {
  readonly name: string;
  readonly args: unknown;
  /** Whether the structured value is needed. Without it, the result may be a text alone. */
  readonly needsValue: boolean;
}

/** Tools that a command calls, with the policy, rights and traces of a model's call. */
export interface ToolSource {
  /** The tool that the first words name. */
  find(words: readonly string[]): Promise<NamedTool | undefined>;
  /** The tool of a name or an alias. @throws ToolError for a tool that does not exist or cannot be called */
  tool(name: string): Promise<CommandTool>;
  /** The tools of the pack that a word names. Undefined: it names none. A server may not list all of them. */
  toolsOf(pack: string): Promise<readonly CommandTool[] | undefined>;
  /** The names of the packs, as far as they are known. */
  readonly packs: readonly string[];
  /** Calls a tool. Never rejects for a failure of the tool. */
  call(call: CommandCall): Promise<Outcome>;
  close(): Promise<void>;
}
