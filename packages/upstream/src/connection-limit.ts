import { ToolError } from "@toolpacks/core";

/** A connection that counts against a limit. */
export interface LimitedConnection {
  readonly isBusy: boolean;
  end(): Promise<void>;
}

/** Limits how many callers are connected to one server at the same time. A new one ends the connection that was unused for longest. */
export class ConnectionLimit {
  readonly #max: number;
  /** The open connections, the least recently used first. */
  readonly #open = new Set<LimitedConnection>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Counts a connection before it opens. Ends an idle one if there are too many. @throws ToolError when all are busy */
  async enter(connection: LimitedConnection, server: string): Promise<void> {
    if (this.#open.has(connection)) return this.touch(connection);
    const idle = this.#open.size < this.#max ? undefined : [...this.#open].find(({ isBusy }) => !isBusy);
    if (idle === undefined && this.#open.size >= this.#max) {
      throw new ToolError(
        "unavailable",
        `${server} is in use by ${this.#max} other callers, which is its limit (maxCallers)`,
        "Try again later, or do without it.",
      );
    }
    if (idle !== undefined) this.#open.delete(idle);
    this.#open.add(connection);
    await idle?.end();
  }

  /** Marks a connection as the most recently used. */
  touch(connection: LimitedConnection): void {
    if (this.#open.delete(connection)) this.#open.add(connection);
  }

  /** Stops counting a connection that has ended. */
  leave(connection: LimitedConnection): void {
    this.#open.delete(connection);
  }
}
