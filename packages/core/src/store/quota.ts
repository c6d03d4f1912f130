import { ToolError } from "../tool-error.ts";
import type { DriverTransaction, Row } from "./driver.ts";

/** Bytes that the records of one workspace may take as JSON, with what retries are answered with. */
export const defaultMaxWorkspaceBytes = 1024 ** 3;

interface QuotaCheck {
  readonly transaction: DriverTransaction;
  readonly workspace: string;
  /** Undefined: no bound. */
  readonly maxBytes: number | undefined;
  /** The JSON to be written, once or several times. */
  readonly json: string;
  readonly copies: number;
  /** What it replaces. */
  readonly before: Row | undefined;
}

/**
 * Refuses a record that makes a workspace larger than it may be. A record that becomes smaller is always taken.
 *
 * @throws ToolError `too_large` naming the workspace, its size and the setting
 */
export async function checkQuota({
  transaction,
  workspace,
  maxBytes,
  json,
  copies,
  before,
}: QuotaCheck): Promise<void> {
  if (maxBytes === undefined || maxBytes === Infinity) return;
  const added = Buffer.byteLength(json) * copies;
  const used = await transaction.workspaceBytes(workspace);
  if (used + added <= maxBytes) return;
  const freed = before === undefined ? 0 : Buffer.byteLength(JSON.stringify(before.data));
  if (added <= freed || used + added - freed <= maxBytes) return;
  throw new ToolError(
    "too_large",
    `the workspace ${JSON.stringify(workspace)} holds ${used} bytes, and may hold ${maxBytes} (maxWorkspaceBytes); this write adds ${added - freed}`,
    "Delete records that are not needed, or set a larger maxWorkspaceBytes.",
  );
}

/** @throws RangeError for an option that is no whole number of bytes */
export function quotaOf(option: number | false | undefined): number | undefined {
  if (option === false) return undefined;
  const bytes = option ?? defaultMaxWorkspaceBytes;
  if (Number.isSafeInteger(bytes) && bytes >= 0) return bytes;
  throw new RangeError(`maxWorkspaceBytes: expected a whole number of bytes or false, received ${bytes}`);
}
