import { isAlias, isMap, isNode, isScalar, isSeq, parseDocument } from "yaml";
import type { Locate } from "./locate-key.ts";

export function locateYaml(text: string): Locate {
  const document = parseDocument(text, { uniqueKeys: false, prettyErrors: false, logLevel: "error" });
  return (at) => {
    let node: unknown = document.contents;
    let offset: number | undefined;
    for (const step of at) {
      if (isAlias(node)) node = node.resolve(document);
      const pair = isMap(node)
        ? node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step))
        : undefined;
      const item: unknown = isSeq(node) ? node.items[Number(step)] : pair?.key;
      if (!isNode(item)) break;
      offset = item.range?.[0] ?? offset;
      node = pair === undefined ? item : pair.value;
    }
    return offset;
  };
}
