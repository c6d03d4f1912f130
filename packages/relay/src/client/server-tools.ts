import { handleReader, type JsonSchema, type ListedTool } from "@toolpacks/core";
import type { Relay } from "../create-relay.ts";
import { loosenSchema } from "./loosen-schema.ts";

/** A tool as another server lists it. The types are not validated. */
export interface ForeignTool {
  readonly name: string;
  readonly inputSchema?: JsonSchema;
  /** Some servers write null. */
  readonly outputSchema?: JsonSchema | null;
}

/** A page of another server's tools. */
export interface ToolPage<Tool extends ForeignTool> {
  readonly tools: readonly Tool[];
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

interface Known {
  readonly input: JsonSchema | undefined;
  readonly hasOutput: boolean;
}

/** The tools of another server, as far as they were listed. */
export class ServerTools {
  readonly #relay: Relay;
  readonly #known = new Map<string, Known>();
  #listed = new Set<string>();
  /** The name of the added tool. The server has no tool of this name. */
  readName = handleReader;

  constructor(relay: Relay) {
    this.#relay = relay;
  }

  /** A page of the list: output schemas accept handles, and the last page ends with the added tool. */
  take<Tool extends ForeignTool>(
    { tools, isFirst, isLast }: ToolPage<Tool>,
    added: (name: string) => ListedTool,
  ): (Tool | ListedTool)[] {
    if (isFirst) this.#listed = new Set();
    const page = tools.map((tool) => this.#takeOne(tool));
    if (!isLast) return page;
    for (let number = 2; this.#listed.has(this.readName); number += 1) this.readName = `${handleReader}_${number}`;
    return [...page, added(this.readName)];
  }

  inputOf(tool: string): JsonSchema | undefined {
    return this.#known.get(tool)?.input;
  }

  /** Whether a result must have structured content. True while the tool is unknown. */
  hasOutput(tool: string): boolean {
    return this.#known.get(tool)?.hasOutput ?? true;
  }

  #takeOne<Tool extends ForeignTool>(tool: Tool): Tool {
    const { name, inputSchema } = tool;
    const outputSchema = tool.outputSchema ?? undefined;
    this.#listed.add(name);
    this.#known.set(name, { input: inputSchema, hasOutput: outputSchema !== undefined });
    if (outputSchema === undefined || this.#relay.boxer(name).threshold === false) return tool;
    const loose = loosenSchema(outputSchema);
    return loose === outputSchema ? tool : { ...tool, outputSchema: loose };
  }
}
