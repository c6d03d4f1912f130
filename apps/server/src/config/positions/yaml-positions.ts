import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, type Node } from "yaml";
import { KeyPositions } from "./key-positions.ts";

/** Maximum nodes that are read. Aliases can multiply the nodes of a file. */
const maxNodes = 100_000;

export function yamlPositions(text: string): KeyPositions {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: "error",
  });
  const positions = new KeyPositions();
  const add = (at: readonly PropertyKey[], { range }: Node) => {
    const { line, col } = lines.linePos(range?.[0] ?? 0);
    positions.add(at, { line, column: col });
  };
  const open: (readonly [at: readonly PropertyKey[], node: unknown])[] = [[[], document.contents]];
  for (let count = 0; open.length > 0 && count < maxNodes; count += 1) {
    const [at, node] = open.pop() ?? [[], undefined];
    if (isAlias(node)) open.push([at, node.resolve(document)]);
    if (isSeq(node)) {
      for (const [index, item] of node.items.entries()) {
        if (isNode(item)) add([...at, index], item);
        open.push([[...at, index], item]);
      }
    }
    if (!isMap(node)) continue;
    for (const { key, value } of node.items) {
      if (!isScalar(key)) continue;
      add([...at, String(key.value)], key);
      open.push([[...at, String(key.value)], value]);
    }
  }
  return positions;
}
