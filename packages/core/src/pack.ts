import type { ResultsMode } from "./call-tool-result.ts";
import type { Interceptor } from "./interceptor.ts";
import type { Prompt } from "./prompt.ts";
import type { PackResources, Remote } from "./remote.ts";
import type { StepType } from "./step-type.ts";
import type { Kind } from "./store/store.ts";
import type { ToolHost } from "./tool-host.ts";
import type { Tool } from "./tool.ts";

/**
 * Tools that exist but cannot be called as things are configured. A call by name answers `denied` with both sentences. Where neither names nor a
 * prefix are known, both are part of the answer to a call of a tool that is not there.
 */
export interface Withheld {
  /** The names, or every name that starts with `prefix`. */
  readonly names?: readonly string[];
  readonly prefix?: string;
  /** Why, as a clause: "writing is off". */
  readonly reason: string;
  /** What would allow it: "Start with --write." */
  readonly hint: string;
}

/** A named set of tools, as the surfaces and the app see it. */
export interface Pack {
  readonly name: string;
  readonly description: string;
  /** Guidance that concerns several of its tools; part of the prompt budget. */
  readonly instructions?: string;
  /** The most o200k tokens that names, descriptions, input schemas and instructions may take when listed. */
  readonly budget: number;
  readonly kinds: readonly Kind[];
  /** Its tools are listed wherever the core facet is: all of them, or those named. */
  readonly core: boolean | readonly string[];
  /**
   * Made at the first call, then the same array. The first call may reject, and a later one then tries again. Where there is
   * a `remote`, it never rejects, and another array says that the tools have changed.
   */
  tools(): Promise<readonly Tool[]>;
  readonly withheld: readonly Withheld[];
  /** What a client may show a person to choose from. */
  readonly prompts?: readonly Prompt[];
  /** What it adds to the steps that a workflow may take. Made at the first call. */
  steps?(): Promise<readonly StepType[]>;
  /** What a client may read beside calling its tools. */
  readonly resources?: PackResources;
  /** Present where the tools are another server's. */
  readonly remote?: Remote;
  /**
   * Registers every tool, and the prompts that lead to one, on an `McpServer` of `@modelcontextprotocol/sdk` 1.x or `@modelcontextprotocol/server` 2.x,
   * beside whatever it has already.
   */
  registerWith(server: ToolHost, options?: RegisterOptions): Promise<void>;
}

export interface RegisterOptions {
  /** The form of results. Default `both`. */
  readonly results?: ResultsMode;
  /** Outermost first. */
  readonly interceptors?: readonly Interceptor[];
  /** Leaves out every tool that mutates. Default false. */
  readonly readOnly?: boolean;
}

/** A pack's tools without the deprecated ones, which no list shows. */
export async function listedTools(pack: Pack): Promise<readonly Tool[]> {
  return (await pack.tools()).filter(({ deprecated }) => deprecated === undefined);
}
