import { isObject } from "@toolpacks/core";

/** The error response to an invalid message. The SDKs would drop the message, and the client would wait forever. */
export interface MessageProblem {
  readonly code: number;
  readonly message: string;
  /** Null when the message has no valid id. */
  readonly id: string | number | null;
}

const codes = { invalidRequest: -32_600, invalidParams: -32_602 };
const requestFields = ["jsonrpc", "id", "method", "params"];

/** Finds a problem in the structure of a message. Undefined for a valid request, a notification or a response. */
export function messageProblem(message: unknown): MessageProblem | undefined {
  const invalid = (problem: string): MessageProblem => ({ code: codes.invalidRequest, message: problem, id: null });
  if (Array.isArray(message)) return invalid("batches are not supported: send each message on a line of its own");
  if (!isObject(message)) return invalid("the message is not an object");
  if (!("id" in message)) return undefined;
  if (!("method" in message) && ("result" in message || "error" in message)) return undefined;
  const { id } = message;
  const known = typeof id === "string" || typeof id === "number" ? id : null;
  const problem = requestProblem(message);
  if (problem !== undefined) return { ...invalid(problem), id: known };
  const wrongCursor = cursorProblem(message);
  return wrongCursor === undefined ? undefined : { code: codes.invalidParams, message: wrongCursor, id: known };
}

type Fields = Readonly<Record<string, unknown>>;

function requestProblem(message: Fields): string | undefined {
  const { jsonrpc, id, method, params } = message;
  if (jsonrpc !== "2.0") return 'jsonrpc: must be "2.0"';
  if (!isId(id)) return "id: must be a string or an integer";
  if (typeof method !== "string") return "method: must be a string";
  const unknown = Object.keys(message).find((field) => !requestFields.includes(field));
  if (unknown !== undefined)
    return `unknown field ${JSON.stringify(unknown.slice(0, 100))}: a request has ${requestFields.join(", ")}`;
  if (params === undefined) return undefined;
  if (!isObject(params)) return "params: must be an object";
  return metaProblem(params["_meta"]);
}

function metaProblem(meta: unknown): string | undefined {
  if (meta === undefined) return undefined;
  if (!isObject(meta)) return "params._meta: must be an object";
  const { progressToken, "io.modelcontextprotocol/related-task": task } = meta;
  if (progressToken !== undefined && !isId(progressToken)) {
    return "params._meta.progressToken: must be a string or an integer";
  }
  const isTask = task === undefined || (isObject(task) && typeof task["taskId"] === "string");
  return isTask ? undefined : "params._meta.io.modelcontextprotocol/related-task: must be an object with a taskId";
}

/** Checks the cursor of a list request. The 2.x SDK answers an invalid cursor as a server error. */
function cursorProblem({ method, params }: Fields): string | undefined {
  if (!String(method).endsWith("/list") || !isObject(params)) return undefined;
  const { cursor } = params;
  return cursor === undefined || typeof cursor === "string" ? undefined : "params.cursor: must be a string";
}

/** Whether the SDKs accept a value as an id or token: a string or a safe integer. */
function isId(value: unknown): boolean {
  return typeof value === "string" || Number.isSafeInteger(value);
}
