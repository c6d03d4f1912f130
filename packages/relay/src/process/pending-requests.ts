import { isExactNumber } from "./exact-json.ts";

/** A request of the client whose response is changed. */
export type PendingRequest =
  | { readonly method: "tools/call"; readonly tool: string }
  | { readonly method: "tools/list"; readonly isFirstPage: boolean };

/** Requests that were sent to the server and have no response yet. Ids are the client's: numbers or strings. */
export class PendingRequests {
  readonly #pending = new Map<unknown, PendingRequest>();

  add(id: unknown, request: PendingRequest): void {
    this.#pending.set(keyOf(id), request);
  }

  /** Removes the request of this id, and returns it. */
  take(id: unknown): PendingRequest | undefined {
    const key = keyOf(id);
    const request = this.#pending.get(key);
    this.#pending.delete(key);
    return request;
  }
}

const maxIdCharacters = 100;

/** A key for an id. A number that kept its source has the key of its value, since clients compare values. Other objects are invalid ids and share one key. */
export function keyOf(id: unknown): unknown {
  if (typeof id !== "object") return id;
  const source = isExactNumber(id) ? JSON.stringify(id) : "";
  if (source === "" || source.length > maxIdCharacters) return null;
  const value = Number(source);
  return Number.isSafeInteger(value) || !/^-?\d+$/.test(source) ? value : BigInt(source);
}
