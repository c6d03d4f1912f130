/** Whether a block is disabled. */
export function isDisabled(block: unknown): boolean {
  const { disabled, enabled } = (block ?? {}) as { disabled?: unknown; enabled?: unknown };
  return disabled === true || enabled === false;
}
