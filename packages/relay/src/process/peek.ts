/**
 * What a short message says of itself, told by how clients and servers write it, without reading it as JSON: that would be most of what a relay
 * costs a call. Undefined for whatever is written otherwise, which is then read.
 */
const mostBytes = 4_096;

/** A call of a tool without a handle among its arguments. */
export interface PeekedCall {
  readonly id: number;
  readonly tool: string;
}

const methodFirst = /^\{"method":"tools\/call","params":\{"name":"([\w./-]+)"[,}]/;
const versionFirst = /^\{"jsonrpc":"2\.0","id":(\d{1,15}),"method":"tools\/call","params":\{"name":"([\w./-]+)"[,}]/;
const answerVersionFirst = /^\{"jsonrpc":"2\.0","id":(\d{1,15}),"result":/;

export function peekCall(bytes: Buffer): PeekedCall | undefined {
  if (bytes.length > mostBytes) return undefined;
  const text = bytes.toString("latin1");
  // Every handle has these three characters, unless they are written as escapes.
  if (text.includes("://") || text.includes("\\")) return undefined;
  const [, tool] = methodFirst.exec(text) ?? [];
  if (tool !== undefined) {
    const id = idAtEnd(text);
    return id === undefined ? undefined : { id, tool };
  }
  const [, id, name] = versionFirst.exec(text) ?? [];
  return name === undefined ? undefined : { id: Number(id), tool: name };
}

/** The id of the request that was answered with a result. */
export function peekAnswer(bytes: Buffer): number | undefined {
  if (bytes.length > mostBytes) return undefined;
  const text = bytes.toString("latin1");
  if (text.startsWith('{"result":')) return idAtEnd(text);
  const [, id] = answerVersionFirst.exec(text) ?? [];
  return id === undefined ? undefined : Number(id);
}

/** An `id` right before the bracket that ends the line is the message's own: every inner object is closed before. */
function idAtEnd(text: string): number | undefined {
  const [, id] = /^,"id":(\d{1,15})\}\r?\n?$/.exec(text.slice(text.lastIndexOf(',"id":'))) ?? [];
  return id === undefined ? undefined : Number(id);
}
