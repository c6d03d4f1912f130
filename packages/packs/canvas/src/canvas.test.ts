import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { folderOf, onWire, plan } from "./pack.fixture.ts";

let root: string;
let wire: Awaited<ReturnType<typeof onWire>>;

beforeEach(async () => {
  root = await folderOf({ "plan.canvas": plan, "sub/other.canvas": "", "notes.md": "# Notes" });
  wire = await onWire(root);
  return () => wire.close();
});

const read = (name = "plan.canvas") => readFileSync(path.join(root, name), "utf8");
const update = (args: object) => wire.ask("canvas_update", { path: "plan.canvas", ...args });

interface Item {
  readonly id: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly [field: string]: unknown;
}

const parsed = (name?: string) =>
  JSON.parse(read(name)) as { readonly nodes: readonly Item[]; readonly edges: readonly Item[] };
const node = (id: string, name?: string) => parsed(name).nodes.find((one) => one.id === id);

describe("canvas_read", () => {
  test("lists the canvases of a folder", async () => {
    expect(await wire.ask("canvas_read", {})).toBe("plan.canvas\nsub/other.canvas");
    expect(await wire.ask("canvas_read", { path: "sub" })).toBe("sub/other.canvas");
  });

  test("shows nodes in their groups, and edges", async () => {
    expect((await wire.ask("canvas_read", { path: "plan.canvas" })).split("\n")).toEqual([
      "plan.canvas: 3 nodes, 1 edges",
      "week group This week",
      "  a text Design",
      "b file notes.md",
      "edges:",
      "a -> b then (e)",
    ]);
    expect(await wire.ask("canvas_read", { path: "sub/other.canvas" })).toBe("sub/other.canvas: 0 nodes, 0 edges");
  });

  test("shows a node, a group and an edge in full", async () => {
    expect(await wire.ask("canvas_read", { path: "plan.canvas", id: "a" })).toMatch(/"starred":true.*\nedges:\na -> b/);
    expect(await wire.ask("canvas_read", { path: "plan.canvas", id: "week" })).toMatch(
      /"group".*\na text Design\nedges:/,
    );
    expect(await wire.ask("canvas_read", { path: "plan.canvas", id: "e" })).toContain('"toNode":"b"');
    expect(await wire.ask("canvas_read", { path: "plan.canvas", id: "z" })).toMatch(
      /^not_found: id: plan.canvas has no "z"/,
    );
  });

  test("names every mistake of a file at once", async () => {
    const nodes = [
      { id: "a", type: "text", x: 0, y: 0.5, width: 10, height: 10 },
      { id: "a", type: "sticky" },
      { type: "group", x: 0, y: 0, width: "wide", height: 10, color: "7" },
      4,
    ];
    const edges = [{ id: "e", fromNode: "a", toNode: "gone", toSide: "under" }];
    writeFileSync(path.join(root, "plan.canvas"), JSON.stringify({ nodes, edges }));
    const answer = await wire.ask("canvas_read", { path: "plan.canvas" });
    expect(answer.split("mistakes:\n")[1]?.split("\n")).toEqual([
      'node "a": text: required',
      expect.stringMatching(/^node "a": y: .*expected int.*, received 0.5$/),
      'node "a": type: expected text, file, link, group, received "sticky"',
      'node 2: id: "a" is the id of another item',
      "node 3: id: required",
      expect.stringMatching(/^node 3: width: .*received "wide"$/),
      'node 3: color: expected 1 to 6 or #RRGGBB, received "7"',
      "node 4: expected an object",
      expect.stringMatching(/^edge "e": toSide: .*received "under"$/),
      'edge "e": toNode: there is no node "gone"',
    ]);
  });

  test.each([
    ["{", /^invalid_input: not JSON: \w+ in line 1, column 2/],
    ["[]", /^invalid_input: not a canvas: expected an object/],
    ['{"nodes":{},"edges":1}', /nodes: expected an array, received object; edges: expected an array, received number/],
    ['{"nodes":[],"nodes":[]}', /nodes: the field stands there twice/],
  ])("refuses %s", async (text, message) => {
    writeFileSync(path.join(root, "plan.canvas"), text);
    expect(await wire.ask("canvas_read", { path: "plan.canvas" })).toMatch(message);
  });
});

describe("canvas_update", () => {
  test("changes only the text of the named fields", async () => {
    await update({ change: [{ id: "a", color: "4", x: 50 }] });
    const expected = plan.replace(
      '"x":40,"y":40,"width":200,"height":60,"starred":true',
      '"x":50,"y":40,"width":200,"height":60,"starred":true,"color": "4"',
    );
    expect(read()).toBe(expected);
  });

  test("writes nothing where nothing changes", async () => {
    expect(await update({ change: [{ id: "a", x: 40, text: "Design" }] })).toBe("changed plan.canvas");
    expect(read()).toBe(plan);
  });

  test("adds a node in the form of the others, and brings the file back by its removal", async () => {
    expect(
      await update({
        add: [{ id: "c", text: "Test", x: 0, y: 900 }],
        connect: [{ id: "f", fromNode: "b", toNode: "c" }],
      }),
    ).toBe("changed plan.canvas; added: c, f");
    expect(read()).toContain(
      '},\n\t\t{"id":"c","type":"text","text":"Test","x":0,"y":900,"width":260,"height":60}\n\t],',
    );
    expect(read()).toContain('"fromSide":"bottom"');
    expect(await update({ remove: ["c"] })).toBe("changed plan.canvas; disconnected: f");
    expect(read()).toBe(plan);
  });

  test("moves a group with its nodes, and removes fields", async () => {
    await update({ change: [{ id: "week", x: 100, y: -50, label: null }] });
    expect(node("a")).toMatchObject({ x: 140, y: -10 });
    expect(node("b")).toMatchObject({ x: 600, y: 40 });
    expect(node("week")).not.toHaveProperty("label");
  });

  test("lays new nodes out in free space, and inside their group", async () => {
    await update({
      add: [
        { id: "c", text: "C", group: "week" },
        { id: "d", text: "D" },
      ],
      connect: [{ fromNode: "b", toNode: "d" }],
    });
    const [week, c, d, b] = [node("week"), node("c"), node("d"), node("b")];
    expect(week).toMatchObject({ x: 0, y: 0, width: 400, height: 300 });
    expect(c?.x).toBeGreaterThanOrEqual(0);
    expect((c?.y ?? 0) + (c?.height ?? 0)).toBeLessThanOrEqual(300);
    expect(c?.y).toBeGreaterThanOrEqual(100);
    expect(d?.x).toBe(b?.x);
    expect(d?.y).toBeGreaterThan(100);
  });

  test("lets a group grow, and refuses that where another node is in the way", async () => {
    expect(await update({ add: [{ text: "x\n".repeat(12), group: "week" }] })).toMatch(/; grown: week$/);
    expect(node("week")?.height).toBeGreaterThan(300);
    await update({ change: [{ id: "b", x: 0, y: (node("week")?.height ?? 0) + 10 }] });
    const before = read();
    expect(await update({ add: [{ id: "c", text: "x\n".repeat(12), group: "week" }] })).toMatch(
      /^conflict: group "week": no room for "c"/,
    );
    expect(read()).toBe(before);
  });

  test("moves a node into a new group and out of one", async () => {
    await update({ add: [{ id: "done", label: "Done" }], change: [{ id: "b", group: "done" }] });
    expect(await wire.ask("canvas_read", { path: "plan.canvas", id: "done" })).toMatch(/\nb file notes.md/);
    await update({ change: [{ id: "b", group: null }] });
    expect(await wire.ask("canvas_read", { path: "plan.canvas", id: "done" })).not.toMatch(/\nb file/);
  });

  test("names all mistakes of a request and writes nothing", async () => {
    const answer = await update({
      add: [{ id: "a", text: "twice" }, { text: "half", x: 1 }, { group: "b", text: "no group" }, {}],
      change: [
        { id: "weak", x: 1 },
        { id: "b", text: "no text" },
        { id: "a", text: null },
      ],
      connect: [
        { fromNode: "a", toNode: "e" },
        { fromNode: "zzz", toNode: "b" },
      ],
      remove: ["nothing"],
    });
    for (const mistake of [
      'add[0].id: "a" exists already',
      "add[1]: give both x and y, or neither",
      'add[2].group: "b" is not a group',
      "add[3].text: required",
      'change[0].id: there is no "weak", did you mean "week"?',
      "change[1].text: not a field of this type",
      'connect[0].toNode: "e" is an edge',
      'connect[1].fromNode: there is no "zzz"',
      'remove[0]: there is no "nothing"',
    ]) {
      expect(answer).toContain(mistake);
    }
    expect(await update({ change: [{ id: "a", text: null }] })).toMatch(/^invalid_input: node "a": text: required/);
    expect(
      await update({
        add: [
          { id: "g", label: "G", group: "h" },
          { id: "h", label: "H", group: "g" },
        ],
      }),
    ).toContain("would contain itself");
    expect(await update({})).toMatch(/^invalid_input: expected add, connect, change or remove/);
    expect(read()).toBe(plan);
  });

  test("repairs a canvas with mistakes, and keeps those that it does not concern", async () => {
    const nodes = [
      { id: "a", type: "text", x: 0.5, y: 0, width: 9, height: 9, text: "A" },
      { id: "b", type: "odd" },
    ];
    writeFileSync(path.join(root, "plan.canvas"), JSON.stringify({ nodes }));
    expect(await update({ change: [{ id: "a", x: 1 }] })).toBe("changed plan.canvas");
    expect(read()).toBe(
      '{"nodes":[{"id":"a","type":"text","x":1,"y":0,"width":9,"height":9,"text":"A"},{"id":"b","type":"odd"}]}',
    );
  });
});

describe("canvas_write", () => {
  test("lays out a canvas without positions: nothing overlaps, and groups hold their nodes", async () => {
    const nodes = [
      { id: "g", label: "Group" },
      ...["a", "b", "c"].map((id) => ({ id, text: id, group: "g" })),
      { id: "d", url: "https://example.org" },
      { id: "e", file: "notes.md" },
    ];
    const edges = [
      ["a", "b"],
      ["b", "c"],
      ["c", "d"],
    ].map(([fromNode, toNode]) => ({ fromNode, toNode }));
    expect(await wire.ask("canvas_write", { path: "new.canvas", nodes, edges })).toMatch(
      /^wrote new.canvas; added: g, a, b, c, d, e/,
    );
    const [group, ...others] = parsed("new.canvas").nodes;
    expect(group?.id).toBe("g");
    const overlaps = (p: Item, q: Item) =>
      p.x < q.x + q.width && q.x < p.x + p.width && p.y < q.y + q.height && q.y < p.y + p.height;
    expect(others.flatMap((p) => others.filter((q) => p !== q && overlaps(p, q)))).toEqual([]);
    const outline = await wire.ask("canvas_read", { path: "new.canvas" });
    expect(outline).toMatch(/g group Group\n {2}a text a\n {2}b text b\n {2}c text c\nd link/);
    expect(outline).not.toContain("mistakes");
  });

  test("replaces a file only with overwrite, and takes only names of canvases", async () => {
    expect(await wire.ask("canvas_write", { path: "plan.canvas", nodes: [] })).toMatch(
      /^conflict: plan.canvas: it exists already/,
    );
    expect(read()).toBe(plan);
    await wire.ask("canvas_write", { path: "plan.canvas", nodes: [], overwrite: true });
    expect(parsed()).toEqual({ nodes: [], edges: [] });
    expect(await wire.ask("canvas_write", { path: "notes.md", nodes: [], overwrite: true })).toMatch(
      /^invalid_input: notes.md: expected a name/,
    );
    expect(read("notes.md")).toBe("# Notes");
  });

  test("is not listed without write", async () => {
    const reader = await onWire(root, { write: false });
    await expect(reader.ask("canvas_update", { path: "plan.canvas", remove: ["a"] })).rejects.toThrow(
      /canvas_update not found/,
    );
    expect(read()).toBe(plan);
    await reader.close();
  });
});

test("canvas_render answers an SVG as a resource, with escaped text", async () => {
  await update({ change: [{ id: "a", text: "<script>alert(1)</script> & more" }] });
  const { content } = await wire.call("canvas_render", { path: "plan.canvas" });
  const blocks = content as readonly {
    readonly type: string;
    readonly resource?: { readonly text: string; readonly mimeType: string };
  }[];
  const resource = blocks.find(({ type }) => type === "resource")?.resource;
  expect(resource?.mimeType).toBe("image/svg+xml");
  expect(resource?.text).toMatch(/^<svg .*>\n/);
  expect(resource?.text).toContain("&lt;script&gt;");
  expect(resource?.text).not.toContain("<script");
  expect(resource?.text).toContain(">This week<");
});
