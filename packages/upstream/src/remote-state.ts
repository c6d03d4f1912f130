/** Names one stored text: what was accepted of a server, or a sign-in. */
export interface StateKey {
  readonly kind: "accepted" | "sign-in";
  /** The server, as part of a file name. */
  readonly server: string;
  /** Id of the caller that it belongs to. "": the user who started the process, or all callers. */
  readonly caller: string;
}

/** Storage of accepted tools and of sign-ins. Several processes may use it at the same time. */
export interface RemoteState {
  /** The stored text. Undefined when there is none. @throws UnreadableState when it cannot be decrypted */
  read(key: StateKey): Promise<string | undefined>;
  /**
   * Replaces a text atomically. `change` gets the stored text. It may be called again when another process writes at the same time. Resolves to the
   * text that is stored now.
   */
  update(key: StateKey, change: (before: string | undefined) => string): Promise<string>;
  /** Removes a text, also one that cannot be decrypted. */
  remove(key: StateKey): Promise<void>;
  /** Runs work while no other holder of the key's lock runs, in any process. The lock of a process that died expires. */
  withLock<T>(key: StateKey, work: () => Promise<T>): Promise<T>;
  /** Calls `changed` after a text may have changed, in any process, until the returned function is called. Does not keep the process alive. */
  watch(key: StateKey, changed: () => void): () => void;
  /** The place of a text, for messages. */
  describe(key: StateKey): string;
}

/** A stored text that cannot be decrypted. */
export class UnreadableState extends Error {}
