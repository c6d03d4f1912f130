/** The type of an object without its undefined fields. */
export type DefinedOnly<T> = {
  [Field in keyof T as undefined extends T[Field] ? never : Field]: T[Field];
} & {
  [Field in keyof T as undefined extends T[Field] ? Field : never]?: Exclude<T[Field], undefined>;
};

/** Removes the undefined fields of an object. zod returns missing optional fields as `undefined`; our types require them to be absent. */
export function definedOnly<T extends object>(object: T): DefinedOnly<T> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as DefinedOnly<T>;
}
