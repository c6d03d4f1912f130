import type { EmbeddedResource } from "./content.ts";
import type { Failure } from "./tool-error.ts";
import type { CallContext, Tool, ToolContext } from "./tool.ts";

/** The server behind a pack whose tools are not its own. Nothing of it is started or connected before it is used. */
export interface Remote {
  /** Every tool's name begins with it, also of those that are not known yet. */
  readonly prefix: string;
  /** What its pack's `tools()` would answer at once; undefined where it would have to ask. */
  knownTools(): readonly Tool[] | undefined;
  /** Why a name with the prefix that leads to no tool may yet be one: the server is down, or a tool is refused. */
  missing(name: string): Failure | undefined;
  /** Calls back when tools, resources or prompts have become others. Returns how to stop. */
  watch(changed: () => void): () => void;
  resources(): Promise<readonly ListedResource[]>;
  resourceTemplates(): Promise<readonly ListedResourceTemplate[]>;
  /** True for a URI that `read` takes: one of its resources under the name that it has here. */
  owns(uri: string): boolean;
  /** @throws ToolError */
  read(uri: string, context: RemoteContext): Promise<readonly EmbeddedResource[]>;
  prompts(): Promise<readonly ListedPrompt[]>;
  /** @throws ToolError */
  prompt(name: string, args: Readonly<Record<string, string>>, context: RemoteContext): Promise<RemotePrompt>;
  /** Closes connections and ends processes. A later use starts them again. */
  end(): Promise<void>;
}

/** Resources of a pack of ours: read by their address, and listed by no more than a template. */
export interface PackResources {
  readonly templates: readonly ListedResourceTemplate[];
  /** True for a URI that `read` takes. */
  owns(uri: string): boolean;
  /** @throws ToolError */
  read(uri: string, context: CallContext & Pick<ToolContext, "signal">): Promise<readonly EmbeddedResource[]>;
}

export type RemoteContext = Pick<ToolContext, "signal" | "progress" | "elicit">;

/** A resource as `resources/list` shows it. Further fields go out as they came. */
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

/** What `prompts/get` answers. */
export interface RemotePrompt {
  readonly description?: string;
  readonly messages: readonly unknown[];
}
