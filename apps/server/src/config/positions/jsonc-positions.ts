import { visit } from "jsonc-parser";
import { KeyPositions } from "./key-positions.ts";

export function jsoncPositions(text: string): KeyPositions {
  const positions = new KeyPositions();
  const add = (at: readonly PropertyKey[], line: number, character: number) =>
    positions.add(at, { line: line + 1, column: character + 1 });
  visit(
    text,
    {
      onObjectProperty: (...[key, , , line, character, parent]) => add([...parent(), key], line, character),
      onObjectBegin: (...[, , line, character, at]) => add(at(), line, character),
      onArrayBegin: (...[, , line, character, at]) => add(at(), line, character),
      onLiteralValue: (...[, , , line, character, at]) => add(at(), line, character),
    },
    { allowTrailingComma: true },
  );
  return positions;
}
