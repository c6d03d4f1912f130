/** Maximum length of a record's id. */
export const maxIdLength = 200;

/** Whether a text can be a record's id: 1 to 200 characters without control characters and lone surrogates. */
export function isRecordId(text: string): boolean {
  return text.length > 0 && text.length <= maxIdLength && !/[\p{Cc}\p{Cs}]/u.test(text);
}
