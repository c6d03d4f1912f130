/** The message of a thrown value: of an Error its message, of anything else its text. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
