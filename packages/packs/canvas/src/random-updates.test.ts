import { expect, test } from "vitest";
import { canvasMistakes } from "./canvas-mistakes.ts";
import type { CanvasRequest } from "./item-fields.ts";
import { changeCanvas } from "./changed-canvas.ts";
import { parseDocument } from "./document.ts";

/** A generator of numbers from 0 to 1 that repeats itself for a seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const forms = [
  "",
  "{}",
  '{\n\t"nodes":[],\n\t"edges":[]\n}',
  '{ "edges" : [ ], "theme": "dark", "nodes" : [ ] }\n',
  '\uFEFF{\r\n  "nodes": [\r\n    {\r\n      "id": "kept",\r\n      "type": "text",\r\n      "text": "\\u0041",\r\n      "x": 0,\r\n      "y": 0,\r\n      "width": 10,\r\n      "height": 10,\r\n      "own": 1.50\r\n    }\r\n  ]\r\n}\r\n',
];

interface Parsed {
  readonly nodes: readonly { readonly id: string; readonly type: string; readonly [field: string]: unknown }[];
  readonly edges: readonly { readonly id: string; readonly fromNode: string; readonly toNode: string }[];
}

const read = (text: string): Parsed => {
  const { nodes, edges } = parseDocument(text);
  return { nodes: nodes.map(({ value }) => value), edges: edges.map(({ value }) => value) } as unknown as Parsed;
};

/** A valid request for a canvas. `name` makes new ids. */
function requestFor({ nodes, edges }: Parsed, random: () => number, name: string): CanvasRequest {
  const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];
  const int = (max: number) => Math.floor(random() * max) - max / 2;
  const ids = nodes.map(({ id }) => id);
  const removed =
    random() < 0.2 ? [...new Set([pick([...ids, ...edges.map(({ id }) => id)])])].filter((id) => id !== undefined) : [];
  const left = ids.filter((id) => !removed.includes(id));
  const add = Array.from({ length: Math.floor(random() * 4) }, (_, at) => {
    const id = `${name}-${at}`;
    const place = random() < 0.4 ? { x: int(4000), y: int(4000) } : {};
    return random() < 0.25 ? { id, label: id, ...place } : { id, text: `${id} ${"word ".repeat(at * 9)}`, ...place };
  });
  const all = [...left, ...add.map(({ id }) => id)];
  const connect = [pick(all), pick(all)];
  const [fromNode, toNode] = connect;
  const changed = pick(left);
  return {
    add,
    connect: fromNode === undefined || toNode === undefined ? [] : [{ id: `${name}-edge`, fromNode, toNode }],
    change: changed === undefined || random() < 0.4 ? [] : [{ id: changed, x: int(4000), y: int(4000), color: "3" }],
    remove: removed,
  };
}

const canvasCount = process.env["TOOLPACKS_CAMPAIGN"] === undefined ? 150 : 1_000;

test("canvases keep their invariants through random updates", async () => {
  for (let seed = 0; seed < canvasCount; seed += 1) {
    const random = randomOf(seed);
    let text = forms[seed % forms.length] ?? "";
    for (let step = 0; step < 5; step += 1) {
      const before = read(text);
      const request = requestFor(before, random, `s${step}`);
      const changed = await changeCanvas(parseDocument(text), request);
      const after = read(changed.text);
      const context = `seed ${seed}, step ${step}`;
      expect(canvasMistakes(parseDocument(changed.text)), context).toEqual([]);
      const expected = new Set([...before.nodes.map(({ id }) => id), ...request.add.map(({ id }) => id)]);
      for (const id of request.remove) expected.delete(id);
      expect(new Set(after.nodes.map(({ id }) => id)), context).toEqual(expected);
      expect(parseDocument(changed.text).with(parseDocument(changed.text)), context).toBe(changed.text);
      if (request.change.length === 0) {
        // Nodes that no change names keep every field, also those that the specification does not know.
        const known = new Map(after.nodes.map((node) => [node.id, node]));
        for (const node of before.nodes) if (known.has(node.id)) expect(known.get(node.id), context).toEqual(node);
      }
      const isKept = seed % forms.length === 4 && expected.has("kept");
      if (isKept) expect(changed.text, context).toMatch(/"text": "\\u0041"[^]*"own": 1\.50/);
      if (isKept) expect(changed.text.startsWith("\uFEFF"), context).toBe(true);
      text = changed.text;
    }
  }
}, 120_000);
