/** An object without its undefined fields. */
export type DefinedOnly<T> = {
  [Field in keyof T as undefined extends T[Field] ? never : Field]: T[Field];
} & {
  [Field in keyof T as undefined extends T[Field] ? Field : never]?: Exclude<T[Field], undefined>;
};

/** zod gives optional keys as `undefined`; contracts know only absent ones. */
export function definedOnly<T extends object>(object: T): DefinedOnly<T> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as DefinedOnly<T>;
}
