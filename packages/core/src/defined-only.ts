/** Removes the undefined fields of an object, such as the missing optional fields that zod returns. */
export function definedOnly<T extends object>(object: T): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;
}
