/** The most characters that a record's id may have. */
export const maxIdLength = 200;

/** Whether a text may be a record's id: 1 to 200 characters, none of them a control character or half a surrogate pair. */
export function isRecordId(text: string): boolean {
  return text.length > 0 && text.length <= maxIdLength && !/[\p{Cc}\p{Cs}]/u.test(text);
}
