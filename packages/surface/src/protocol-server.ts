/** A server of either SDK: an `McpServer`, or the low-level `Server` inside it. */
export type MountableServer = ProtocolServer | { readonly server: ProtocolServer };

/** The methods of a low-level server that mounting needs. Both SDKs have them. */
export interface ProtocolServer {
  registerCapabilities(capabilities: Omit<Capabilities, "logging"> & Partial<Capabilities>): void;
  // SDK 1.x takes the method as a request schema, SDK 2.x as a name.
  // oxlint-disable-next-line typescript/no-explicit-any
  setRequestHandler(method: any, handler: any): void;
  sendToolListChanged(): Promise<void>;
  sendResourceListChanged(): Promise<void>;
  sendPromptListChanged(): Promise<void>;
}

/** Whether the server is of the 2.x SDK. */
export function isSdk2(server: ProtocolServer): boolean {
  return "projectCallToolResult" in server;
}

/** The capabilities of a server with a surface. */
export interface Capabilities {
  readonly tools: ListCapability;
  readonly resources?: ListCapability;
  readonly prompts?: ListCapability;
  readonly completions?: Readonly<Record<string, never>>;
  /** Clients of the 2.x SDK's servers choose the level of the log messages that they get. */
  readonly logging: Readonly<Record<string, never>>;
}

interface ListCapability {
  readonly listChanged: boolean;
}
