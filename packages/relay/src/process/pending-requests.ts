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

/** Maximum digits of an id that is compared exactly. */
const maxExactDigits = 100;

/** A key for an id. A number that kept its source has the key of its value, since clients compare values. Other objects are invalid ids and share one key. */
export function keyOf(id: unknown): unknown {
  if (typeof id !== "object") return id;
  if (!isExactNumber(id)) return null;
  const source = JSON.stringify(id);
  const value = Number(source);
  const isLargeInteger = source.length <= maxExactDigits && !Number.isSafeInteger(value) && /^-?\d+$/.test(source);
  return isLargeInteger ? BigInt(source) : value;
}
