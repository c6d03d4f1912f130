import { ToolError } from "@toolpacks/core";

/** A connection that counts against a limit. */
export interface LimitedConnection {
  readonly isBusy: boolean;
  end(): Promise<void>;
}

interface LimitedPlan {
  readonly name: string;
  readonly maxCallers: number;
}

/**
 * Limits how many callers are connected to one server at the same time. The packs of one server for its callers share a limit. A new connection ends the
 * idle one that was unused for longest.
 */
export class ConnectionLimit {
  /** The open connections, the least recently used first. */
  readonly #open = new Set<LimitedConnection>();

  /** Counts a connection before it opens. Ends an idle one if there are too many. @throws ToolError when all are busy */
  async enter(connection: LimitedConnection, { name, maxCallers }: LimitedPlan): Promise<void> {
    if (this.#open.has(connection)) return this.touch(connection);
    const idle = this.#open.size < maxCallers ? undefined : [...this.#open].find(({ isBusy }) => !isBusy);
    if (idle === undefined && this.#open.size >= maxCallers) {
      throw new ToolError(
        "unavailable",
        `${name} is in use by ${maxCallers} other callers, which is its limit (maxCallers)`,
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
