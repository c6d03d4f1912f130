import type { JsonSchema } from "@toolpacks/core";

/** A tool as a command sees it. */
export interface CommandTool {
  readonly name: string;
  /** The pack or other server that it belongs to. */
  readonly pack: string;
  readonly description: string;
  /** Its input schema with every limit, and its output schema. */
  readonly schemas: () => Promise<{ readonly input: JsonSchema; readonly output: JsonSchema | undefined }>;
}
