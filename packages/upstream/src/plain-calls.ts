import { SdkError, SdkErrorCode, type CallToolResult, type JSONRPCMessage } from "@modelcontextprotocol/client";

export interface ToolCall {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

export interface PlainCallOptions {
  readonly signal: AbortSignal;
  readonly onprogress: (progress: Progress) => void;
}

interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** A result that is plainly one; of any other answer, the `_meta` of a call by the SDK's client that is to be answered with it. */
export type PlainAnswer = { readonly result: CallToolResult } | { readonly unread: Fields };

/** The pipe. */
interface Pipe {
  readonly send: (message: JSONRPCMessage) => Promise<void>;
  /** Gives the SDK's client a message as if it came from the server. */
  readonly deliver: (message: JSONRPCMessage) => void;
}

interface Waiting {
  readonly onprogress: PlainCallOptions["onprogress"];
  readonly resolve: (answer: Fields) => void;
  readonly reject: (reason: unknown) => void;
}

/** The SDK counts its own requests from nought. */
const firstId = 2 ** 30;
const unreadKey = "toolpacks/unread";

/**
 * Calls of one server's tools beside the SDK's client on the same pipe, whose schemas take several times as long as all the rest of a call.
 * It has no part in what an answer may mean but for a plain result: errors, questions and media are read by the SDK, which is given the
 * answer as if it had asked.
 */
export class PlainCalls {
  /** What the protocol wants in the `_meta` of every message: nothing before 2026. */
  envelope: Fields = {};
  readonly #pipe: Pipe;
  readonly #waiting = new Map<number, Waiting>();
  readonly #unread = new Map<unknown, Fields>();
  #id = firstId;

  constructor(pipe: Pipe) {
    this.#pipe = pipe;
  }

  /** @throws SdkError, from the promise, when the server ends; else what the signal was aborted with */
  async call(call: ToolCall, { signal, onprogress }: PlainCallOptions): Promise<PlainAnswer> {
    signal.throwIfAborted();
    const id = this.#id;
    this.#id += 1;
    const cancel = () => {
      this.#waiting.get(id)?.reject(signal.reason);
      this.#cancel(id, signal.reason);
    };
    signal.addEventListener("abort", cancel);
    try {
      const answer = await new Promise<Fields>((resolve, reject) => {
        this.#waiting.set(id, { onprogress, resolve, reject });
        const params = { ...call, _meta: { ...this.envelope, progressToken: id } };
        this.#pipe.send({ jsonrpc: "2.0", id, method: "tools/call", params }).catch(reject);
      });
      const { result } = answer;
      return isPlain(result) ? { result } : { unread: this.#keep(id, answer) };
    } finally {
      signal.removeEventListener("abort", cancel);
      this.#waiting.delete(id);
    }
  }

  /** What is to be sent for a message of the SDK's client: nothing where its answer is here already. */
  outgoing(message: JSONRPCMessage): JSONRPCMessage | undefined {
    const { _meta, ...params } = "params" in message ? ((message.params as { _meta?: Fields } | undefined) ?? {}) : {};
    if (_meta === undefined || !(unreadKey in _meta) || !("id" in message)) return message;
    const { [unreadKey]: key, ...meta } = _meta;
    const answer = this.#unread.get(key);
    // It goes on asking, once the answer was a question.
    if (answer === undefined) return { ...message, params: { ...params, _meta: meta } };
    this.#unread.delete(key);
    this.#pipe.deliver({ ...answer, id: message.id } as JSONRPCMessage);
    return undefined;
  }

  /** For whoever asks no more for an answer that nobody has read. */
  forget(unread: Fields): void {
    this.#unread.delete(unread[unreadKey]);
  }

  /** True for a message about one of these calls, which is nobody else's then. */
  take(message: object): boolean {
    if (!isFields(message)) return false;
    if (message["method"] === "notifications/progress") return this.#progress(message["params"]);
    // Some servers give ids and tokens back as strings.
    const waiting = "method" in message ? undefined : this.#waiting.get(Number(message["id"]));
    waiting?.resolve(message);
    return waiting !== undefined;
  }

  /** The server has ended, and will answer nothing more. */
  end(): void {
    const error = new SdkError(SdkErrorCode.ConnectionClosed, "Connection closed");
    for (const { reject } of this.#waiting.values()) reject(error);
  }

  #keep(id: number, answer: Fields): Fields {
    this.#unread.set(id, answer);
    return { [unreadKey]: id };
  }

  #progress(params: unknown): boolean {
    if (!isFields(params)) return false;
    const { progressToken, progress, total, message } = params;
    const waiting = this.#waiting.get(Number(progressToken));
    if (waiting === undefined || typeof progress !== "number") return false;
    waiting.onprogress({
      progress,
      ...(typeof total === "number" && { total }),
      ...(typeof message === "string" && { message }),
    });
    return true;
  }

  #cancel(requestId: number, reason: unknown): void {
    const params = { requestId, reason: String(reason), _meta: { ...this.envelope } };
    // A server that is gone needs no notice.
    this.#pipe.send({ jsonrpc: "2.0", method: "notifications/cancelled", params }).catch(() => {});
  }
}

/** Text, and structured content perhaps, without anything that would have to be understood. */
function isPlain(result: unknown): result is CallToolResult {
  if (!isFields(result)) return false;
  const { content, structuredContent, isError, resultType } = result;
  // Only a server of 2026 says it; one that leaves it out has still answered with content.
  if (resultType !== undefined && resultType !== "complete") return false;
  if (isError !== undefined && typeof isError !== "boolean") return false;
  if (structuredContent !== undefined && !isFields(structuredContent)) return false;
  return Array.isArray(content) && content.every(isPlainText);
}

function isPlainText(block: unknown): boolean {
  if (!isFields(block)) return false;
  return block["type"] === "text" && typeof block["text"] === "string" && Object.keys(block).length === 2;
}

function isFields(value: unknown): value is Fields {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
