import type { CallObserver, Interceptor } from "./interceptor.ts";
import type { ResultsMode } from "./outcome.ts";
import type { Prompt, PromptSource } from "./prompt.ts";
import type { PackResources, Remote } from "./remote.ts";
import type { Kind } from "./store.ts";
import type { ToolHost } from "./tool-host.ts";
import type { StepType, Tool } from "./tool.ts";

/**
 * Tools that exist but cannot be called in the current configuration. A call of one fails with `denied`, the reason and the hint. Without names and
 * prefix, reason and hint are added to the error for any unknown tool.
 */
export interface Withheld {
  /** The names of the tools. */
  readonly names?: readonly string[];
  /** Every name that starts with this prefix belongs to these tools. */
  readonly prefix?: string;
  /** The reason as a clause: "writing is off". */
  readonly reason: string;
  /** How to allow the tools: "Start with --write." */
  readonly hint: string;
}

/** A named set of tools, as the surfaces and the app use it. */
export interface Pack {
  readonly name: string;
  readonly description: string;
  /** Guidance for several of its tools. Counts in the prompt budget. */
  readonly instructions?: string;
  /** Maximum o200k tokens of the listed names, descriptions, input schemas and instructions. */
  readonly budget: number;
  readonly kinds: readonly Kind[];
  /** The tools that the core facet lists: all of them, or the named ones. */
  readonly core: boolean | readonly string[];
  /**
   * Loads the tools at the first call, and returns the same array afterwards. If loading fails, the next call tries again. With a `remote` it
   * never rejects, and returns another array when the tools have changed.
   */
  tools(): Promise<readonly Tool[]>;
  readonly withheld: readonly Withheld[];
  /** Prompts that a client can show to its user. */
  readonly prompts?: readonly Prompt[];
  /** Further prompts, which change while a server runs. */
  readonly promptSource?: PromptSource;
  /** Step types that it adds to workflows. Created at the first call. */
  readonly steps?: () => Promise<readonly StepType[]>;
  /** Resources that a client can read. */
  readonly resources?: PackResources;
  /** The remote server, if the tools are from one. */
  readonly remote?: Remote;
  /**
   * Registers every tool, and the prompts of these tools, on an `McpServer` of `@modelcontextprotocol/sdk` 1.x or `@modelcontextprotocol/server` 2.x.
   * The server keeps what it already has.
   */
  registerWith(server: ToolHost, options?: RegisterOptions): Promise<void>;
}

/** The facet of the tools that find and call all other tools. No pack may have this name. */
export const coreFacet = "core";

export interface RegisterOptions {
  /** The form of results. Default `both`. */
  readonly results?: ResultsMode;
  /** Interceptors around each call, outermost first. */
  readonly interceptors?: readonly Interceptor[];
  /** Run around each call, outside of the interceptors, outermost first. */
  readonly observers?: readonly CallObserver[];
  /** Leaves out every tool with `mutates: true`. Default false. */
  readonly readOnly?: boolean;
}

/** The tools of a pack that lists show: all but the deprecated ones. */
export async function listedTools(pack: Pack): Promise<readonly Tool[]> {
  return (await pack.tools()).filter(({ deprecated }) => deprecated === undefined);
}
