/** A request of the client whose answer is looked at. */
export type Pending =
  | { readonly method: "tools/call"; readonly tool: string }
  | { readonly method: "tools/list"; readonly isFirstPage: boolean };

/** The requests that went to the server and are not answered. Ids are a client's own, numbers or strings. */
export class PendingRequests {
  readonly #pending = new Map<unknown, Pending>();

  get isEmpty(): boolean {
    return this.#pending.size === 0;
  }

  add(id: unknown, pending: Pending): void {
    this.#pending.set(keyOf(id), pending);
  }

  get(id: unknown): Pending | undefined {
    return this.#pending.get(keyOf(id));
  }

  /** The request that an answer is to; it is not pending any more. */
  take(id: unknown): Pending | undefined {
    const key = keyOf(id);
    const pending = this.#pending.get(key);
    if (pending !== undefined) this.#pending.delete(key);
    return pending;
  }
}

/** A number that is kept as it was written is an object, and each reading makes another. No other object is an id: all of them are the same. */
export function keyOf(id: unknown): unknown {
  return typeof id === "object" ? (isRawNumber(id) ? JSON.stringify(id) : null) : id;
}

/** TypeScript does not know it yet. */
const { isRawJSON: isRawNumber } = JSON as unknown as { readonly isRawJSON: (value: unknown) => boolean };
