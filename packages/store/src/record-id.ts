/** Maximum length of a record's id. */
export const maxIdLength = 200;

/** Whether a text can be a record's id: 1 to 200 characters without control characters and lone surrogates. */
export function isRecordId(text: string): boolean {
  return isName(text, maxIdLength);
}

/** Whether a text has 1 to `maxLength` characters without control characters and lone surrogates. */
export function isName(text: string, maxLength: number): boolean {
  return text.length > 0 && text.length <= maxLength && !/[\p{Cc}\p{Cs}]/u.test(text);
}
