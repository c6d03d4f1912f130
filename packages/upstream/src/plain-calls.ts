import { SdkError, SdkErrorCode, type CallToolResult, type JSONRPCMessage } from "@modelcontextprotocol/client";
import { isObject } from "@toolpacks/core";

export interface ToolCall {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

export interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/** A result that is plainly one; of any other answer, the `_meta` of a call by the SDK's client that is to be answered with it. */
type PlainAnswer = { readonly result: CallToolResult } | { readonly unread: Fields };

/** A call that was sent. */
interface SentCall {
  /** Rejects with an SdkError when the server ends, or with what the call was cancelled for. */
  readonly answer: Promise<PlainAnswer>;
  readonly cancel: (reason: unknown) => void;
}

/** The pipe. */
interface Pipe {
  /** @throws Error when the server is not running */
  readonly write: (message: JSONRPCMessage) => void;
  /** Gives the SDK's client a message as if it came from the server. */
  readonly deliver: (message: JSONRPCMessage) => void;
}

interface Waiting {
  readonly onprogress: (step: Progress) => void;
  readonly resolve: (answer: PlainAnswer) => void;
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

  /** Sends a call. @throws Error when the server is not running */
  send(call: ToolCall, onprogress: Waiting["onprogress"]): SentCall {
    const id = this.#id;
    this.#id += 1;
    const params = { ...call, _meta: { ...this.envelope, progressToken: id } };
    this.#pipe.write({ jsonrpc: "2.0", id, method: "tools/call", params });
    const answer = new Promise<PlainAnswer>((resolve, reject) =>
      this.#waiting.set(id, { onprogress, resolve, reject }),
    );
    return { answer, cancel: (reason) => this.#cancel(id, reason) };
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
    if (!isObject(message)) return false;
    if (message["method"] === "notifications/progress") return this.#progress(message["params"]);
    return !("method" in message) && this.#answer(numberOf(message["id"]), message);
  }

  /** The server has ended, and will answer nothing more. */
  end(): void {
    const error = new SdkError(SdkErrorCode.ConnectionClosed, "Connection closed");
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  #answer(id: number | undefined, answer: Fields): boolean {
    const waiting = id === undefined ? undefined : this.#waiting.get(id);
    if (id === undefined || waiting === undefined) return false;
    this.#waiting.delete(id);
    const { result } = answer;
    if (isPlain(result)) waiting.resolve({ result });
    else {
      this.#unread.set(id, answer);
      waiting.resolve({ unread: { [unreadKey]: id } });
    }
    return true;
  }

  #progress(params: unknown): boolean {
    if (!isObject(params)) return false;
    const { progressToken, progress, total, message } = params;
    const token = numberOf(progressToken);
    const waiting = token === undefined ? undefined : this.#waiting.get(token);
    if (waiting === undefined || typeof progress !== "number") return false;
    waiting.onprogress({
      progress,
      ...(typeof total === "number" && { total }),
      ...(typeof message === "string" && { message }),
    });
    return true;
  }

  #cancel(requestId: number, reason: unknown): void {
    const waiting = this.#waiting.get(requestId);
    if (waiting === undefined) return;
    this.#waiting.delete(requestId);
    waiting.reject(reason);
    const params = { requestId, reason: String(reason), _meta: { ...this.envelope } };
    try {
      this.#pipe.write({ jsonrpc: "2.0", method: "notifications/cancelled", params });
    } catch {
      // A server that is gone needs no notice.
    }
  }
}

/** Some servers give ids and tokens back as strings. `Number()` of an object runs its methods and may throw. */
function numberOf(id: unknown): number | undefined {
  return typeof id === "number" || typeof id === "string" ? Number(id) : undefined;
}

/** Text, and structured content perhaps, without anything that would have to be understood. */
function isPlain(result: unknown): result is CallToolResult {
  if (!isObject(result)) return false;
  const { content, structuredContent, isError, resultType } = result;
  // Only a server of 2026 says it; one that leaves it out has still answered with content.
  if (resultType !== undefined && resultType !== "complete") return false;
  if (isError !== undefined && typeof isError !== "boolean") return false;
  if (structuredContent !== undefined && !isObject(structuredContent)) return false;
  return Array.isArray(content) && content.every(isPlainText);
}

function isPlainText(block: unknown): boolean {
  if (!isObject(block)) return false;
  return block["type"] === "text" && typeof block["text"] === "string" && Object.keys(block).length === 2;
}
