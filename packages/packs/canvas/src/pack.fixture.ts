import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { connectPack, describeFolder, resultText, type ExampleCalls, type PackUnderTest } from "@toolpacks/testkit";
import { canvas } from "./canvas.ts";

/** A canvas with a group, two cards and an edge, with fields that the specification does not name. */
export const plan = `{
\t"nodes":[
\t\t{"id":"week","type":"group","x":0,"y":0,"width":400,"height":300,"label":"This week"},
\t\t{"id":"a","type":"text","text":"Design","x":40,"y":40,"width":200,"height":60,"starred":true},
\t\t{"id":"b","type":"file","file":"notes.md","x":600,"y":40,"width":200,"height":60,"color":"2"}
\t],
\t"edges":[
\t\t{"id":"e","fromNode":"a","fromSide":"right","toNode":"b","toSide":"left","label":"then"}
\t],
\t"viewport":{"zoom":0.50}
}`;

/** Creates a temporary folder with files, by their paths below it. */
export async function folderOf(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), "canvas-")));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), content);
  }
  return folder;
}

/** A writable pack on a temporary folder with a canvas. */
export async function canvasUnderTest(): Promise<PackUnderTest> {
  const outside = await folderOf({ "root/plan.canvas": plan, "root/sub/empty.canvas": "", "secret.canvas": plan });
  return {
    pack: canvas({ roots: [path.join(outside, "root")], write: true }),
    fingerprint: () => describeFolder(outside),
    dispose: () => rm(outside, { recursive: true, force: true }),
  };
}

/** Calls that succeed on this folder. */
export const canvasExamples: ExampleCalls = {
  canvas_read: [{ path: "plan.canvas" }, {}, { path: "plan.canvas", id: "week" }],
  canvas_render: [{ path: "plan.canvas" }],
  canvas_write: [
    { path: "new.canvas", nodes: [{ id: "a", text: "A" }], edges: [] },
    { path: "plan.canvas", nodes: [], overwrite: true },
  ],
  canvas_update: [
    { path: "plan.canvas", add: [{ text: "C", group: "week" }], change: [{ id: "a", x: 80 }], remove: ["b"] },
  ],
};

/** The pack on a real server, called by a real client. */
export async function onWire(root: string, options: { readonly write?: boolean } = {}) {
  const connection = await connectPack(
    canvas({ roots: [root], write: true, ...options }),
    "sdk 2, protocol 2026-07-28",
  );
  return {
    call: (tool: string, args: object) => connection.callTool(tool, { ...args }),
    ask: async (tool: string, args: object) => resultText(await connection.callTool(tool, { ...args })),
    close: () => connection.close(),
  };
}
