import { printParseErrorCode, visit, type ParseErrorCode } from "jsonc-parser";
import { ConfigurationError } from "@toolpacks/core";

/**
 * Parses JSON with comments and trailing commas. A key `__proto__` becomes an own property, not the prototype, so that validation sees
 * the key.
 */
export function parseJsonc(file: string, text: string): unknown {
  const root: unknown[] = [];
  const open: { readonly value: object; key?: string | undefined }[] = [{ value: root }];
  const add = (value: unknown) => {
    const { value: parent, key } = open.at(-1) ?? { value: root };
    if (Array.isArray(parent)) parent.push(value);
    else if (key !== undefined) setOwn(parent, key, value);
  };
  const begin = (value: object) => {
    add(value);
    open.push({ value });
  };
  const end = () => void open.pop();
  visit(
    text,
    {
      onObjectBegin: () => begin({}),
      onObjectProperty: (key) => {
        Object.assign(open.at(-1) ?? {}, { key });
      },
      onObjectEnd: end,
      onArrayBegin: () => begin([]),
      onArrayEnd: end,
      onLiteralValue: add,
      onError: (code, offset) => refuse(file, text.slice(0, offset), code),
    },
    { allowTrailingComma: true },
  );
  return root[0];
}

function setOwn(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}

/** @param before the text before the error */
function refuse(file: string, before: string, code: ParseErrorCode): never {
  const column = before.length - before.lastIndexOf("\n");
  const line = before.split("\n").length;
  throw new ConfigurationError(`${file}:${line}:${column}: not valid JSON (${printParseErrorCode(code)})`);
}
