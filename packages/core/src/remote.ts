import type { EmbeddedResource } from "./outcome.ts";
import type { Failure } from "./tool-error.ts";
import type { Tool, ToolContext } from "./tool.ts";

/** The remote server behind a pack. It is started or connected at the first use. */
export interface Remote {
  /** The prefix of every tool name of this server. */
  readonly prefix: string;
  /** The tools that the pack's `tools()` would return without a request. Undefined if it needs a request. */
  knownTools(): readonly Tool[] | undefined;
  /**
   * One clean line about the server, from its own words or the names of its tools. Undefined if nothing is known without a request. Default: the pack's
   * description.
   */
  about?(): Promise<string | undefined>;
  /** The failure for an unknown name with the prefix, such as a server that is down or a rejected tool. */
  missing(name: string): Failure | undefined;
  /** Calls back when tools, resources or prompts have changed. Returns a function that stops this. */
  watch(changed: () => void): () => void;
  resources(): Promise<readonly ListedResource[]>;
  resourceTemplates(): Promise<readonly ListedResourceTemplate[]>;
  /**
   * True for a URI that `read` accepts: a resource of this server under its name here, or a `ui://` URI that the server lists. The
   * first remote that owns a URI reads it.
   */
  owns(uri: string): boolean | Promise<boolean>;
  /** @throws ToolError */
  read(uri: string, context: RemoteContext): Promise<readonly EmbeddedResource[]>;
  prompts(): Promise<readonly ListedPrompt[]>;
  /** @throws ToolError */
  prompt(name: string, args: Readonly<Record<string, string>>, context: RemoteContext): Promise<RemotePrompt>;
  /** Closes connections and stops processes. The next use starts them again. */
  end(): Promise<void>;
}

/** Resources of a local pack. They are read by URI. */
export interface PackResources {
  /** The resources that a client lists. Default: none, for resources that are only read through a template. */
  readonly list?: readonly ListedResource[];
  readonly templates?: readonly ListedResourceTemplate[];
  /** True for a URI that `read` accepts. */
  owns(uri: string): boolean;
  /** @throws ToolError */
  read(uri: string, context: ToolContext): Promise<readonly EmbeddedResource[]>;
}

export type RemoteContext = Pick<ToolContext, "signal" | "progress" | "elicit" | "principal" | "trace" | "span">;

/** A resource as `resources/list` shows it. Other fields are passed on unchanged. */
export interface ListedResource {
  readonly uri: string;
  readonly name: string;
  readonly [field: string]: unknown;
}

export interface ListedResourceTemplate {
  readonly uriTemplate: string;
  readonly name: string;
  readonly [field: string]: unknown;
}

export interface ListedPrompt {
  readonly name: string;
  readonly [field: string]: unknown;
}

/** The result of `prompts/get`. */
export interface RemotePrompt {
  readonly description?: string;
  readonly messages: readonly unknown[];
}
