/** A call that a model made, and its outcome. */
export interface MadeCall {
  readonly tool: string;
  /** Arguments as the model wrote them, handles included; a text when they are not JSON. */
  readonly args: unknown;
  /** Number of the model's turn, from 1. */
  readonly turn: number;
  /** Whether the tool exists. */
  readonly isKnown: boolean;
  /** Ids of the handles in the result. Empty: the result has no handle. */
  readonly handles: readonly string[];
  /** The error text that the model received. */
  readonly failure?: string;
}

export interface TokenCount {
  readonly in: number;
  readonly out: number;
  /** Whether the counts are estimates, because the endpoint reports none. */
  readonly isEstimated: boolean;
}

/** A finished conversation. */
export interface Conversation {
  /** Calls in the order in which the model made them. */
  readonly calls: readonly MadeCall[];
  /** The final answer. Absent when the model still called tools in its last turn. */
  readonly answer?: string;
  readonly turns: number;
  /** Tokens of all turns. */
  readonly tokens: TokenCount;
  /** All messages in the format of the AI SDK. */
  readonly messages: readonly unknown[];
}
