import type { ContentBlock, Failure } from "@toolpacks/core";
import type { CallArguments } from "./call-arguments.ts";

/** What a command can ask of a runtime. Requests and answers are plain JSON, because the runtime may be in another process. */
export interface RequestTypes {
  readonly call: { readonly request: CallRequest; readonly answer: CallOutcome };
  readonly rank: { readonly request: RankRequest; readonly answer: readonly RankedTools[] };
}

export type RequestKind = keyof RequestTypes;

export interface CallRequest {
  readonly tool: string;
  readonly args: CallArguments;
}

/** The outcome of a call. */
export type CallOutcome = CallSuccess | CallFailure;

interface CallSuccess {
  readonly ok: true;
  readonly value?: unknown;
  readonly text: string;
  readonly blocks?: readonly ContentBlock[];
  readonly notice?: string;
}

interface CallFailure {
  readonly ok: false;
  readonly failure: Failure;
  /** The part of the call that succeeded. */
  readonly value?: unknown;
  readonly blocks?: readonly ContentBlock[];
}

export interface RankRequest {
  readonly sentences: readonly string[];
  /** Maximum number of hits for each sentence. */
  readonly limit: number;
}

/** The best tools for a sentence. */
export interface RankedTools {
  /** Best first. */
  readonly hits: readonly { readonly name: string; readonly pack?: string | undefined; readonly description: string }[];
  /** Number of hits that `tool_search` answers. */
  readonly topCount: number;
  /** Whether no tool says much of the sentence. */
  readonly weak: boolean;
  /** Duration of the ranking, in ms. */
  readonly ms: number;
}

/** What happens before the answer. */
export type RequestEvent =
  | { readonly progress: CallProgress }
  /** The names of the other servers that the request waits for. */
  | { readonly waitsFor: readonly string[] };

export interface CallProgress {
  readonly done: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

export interface RequestOptions {
  /** Cancels the request. The answer of a cancelled call says so. */
  readonly signal: AbortSignal;
  readonly onEvent: (event: RequestEvent) => void;
}

/** Answers a request. Rejects with what is wrong in the request. */
export type SendRequest = <Kind extends RequestKind>(
  kind: Kind,
  request: RequestTypes[Kind]["request"],
  options: RequestOptions,
) => Promise<RequestTypes[Kind]["answer"]>;

/** Requests that can be sent until they are closed. */
export interface OpenRequests {
  readonly send: SendRequest;
  readonly close: () => Promise<void>;
}

/** Answers requests of one kind. */
export type Answer<Kind extends RequestKind> = (
  request: RequestTypes[Kind]["request"],
  options: RequestOptions,
) => Promise<RequestTypes[Kind]["answer"]>;
