/** A server of either SDK: an `McpServer`, or the low-level `Server` inside it. */
export type MountableServer = ProtocolServer | { readonly server: ProtocolServer };

/** What mounting needs of a low-level server: the shape that both SDKs share. */
export interface ProtocolServer {
  registerCapabilities(capabilities: Capabilities): void;
  // The SDKs take the method as a schema (1.x) or as its name (2.x).
  // oxlint-disable-next-line typescript/no-explicit-any
  setRequestHandler(method: any, handler: any): void;
  sendToolListChanged(): Promise<void>;
  sendResourceListChanged(): Promise<void>;
  sendPromptListChanged(): Promise<void>;
}

interface Capabilities {
  readonly tools: ListCapability;
  readonly resources?: ListCapability;
  readonly prompts?: ListCapability;
}

interface ListCapability {
  readonly listChanged: boolean;
}
