import { ToolError } from "@toolpacks/core";
import type { DriverTransaction, Row } from "./driver.ts";

/** Default maximum bytes of the records of one workspace as JSON, including the answers kept for retries. */
export const defaultMaxWorkspaceBytes = 1024 ** 3;

interface QuotaCheck {
  readonly transaction: DriverTransaction;
  readonly workspace: string;
  /** Undefined: no limit. */
  readonly maxBytes: number | undefined;
  /** The JSON to write. */
  readonly json: string;
  /** How many times the JSON is stored. */
  readonly copies: number;
  /** The record that is replaced. */
  readonly before: Row | undefined;
}

/**
 * Rejects a record that makes a workspace larger than its limit. A record that becomes smaller is always accepted.
 *
 * @throws ToolError `too_large` naming the workspace, its size and the setting
 */
export async function checkQuota(check: QuotaCheck): Promise<void> {
  const { transaction, workspace, maxBytes, json, copies, before } = check;
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

/** The limit of a workspace in bytes by its option. Undefined: no limit. @throws RangeError for an invalid option */
export function quotaOf(option: number | false | undefined): number | undefined {
  if (option === false) return undefined;
  const bytes = option ?? defaultMaxWorkspaceBytes;
  if (Number.isSafeInteger(bytes) && bytes >= 0) return bytes;
  throw new RangeError(`maxWorkspaceBytes: expected a whole number of bytes or false, received ${bytes}`);
}
