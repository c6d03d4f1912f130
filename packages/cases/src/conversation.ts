/** A call that a model made, and how it went. */
export interface MadeCall {
  readonly tool: string;
  /** As the model wrote them, with handles as handles; a text where they were no JSON. */
  readonly args: unknown;
  /** From 1: which of the model's turns made it. */
  readonly turn: number;
  /** Whether there is such a tool. */
  readonly isKnown: boolean;
  /** The ids of what its result gave in place of long values. Empty: the result came whole. */
  readonly given: readonly string[];
  /** Why it failed, as the model was told. */
  readonly failure?: string;
}

export interface TokenCount {
  readonly in: number;
  readonly out: number;
  /** True where the endpoint does not say, and they were estimated. */
  readonly isEstimated: boolean;
}

/** What came of a prompt. */
export interface Conversation {
  /** In the order in which the model made them. */
  readonly calls: readonly MadeCall[];
  /** What the model said in the end. Absent: it was still calling tools when its turns were over. */
  readonly answer?: string;
  readonly turns: number;
  /** Over all turns. */
  readonly tokens: TokenCount;
  /** Everything that was said, as the AI SDK keeps it. */
  readonly messages: readonly unknown[];
}
