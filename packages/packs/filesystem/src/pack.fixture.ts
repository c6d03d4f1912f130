import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describeFolder, type ExampleCalls, type PackUnderTest } from "@toolpacks/testkit";
import { filesystem } from "./filesystem.ts";

/** A writable pack on a temporary folder with a file of each type, and a secret file outside its root. */
export async function filesystemUnderTest(): Promise<PackUnderTest> {
  const outside = await realpath(await mkdtemp(path.join(tmpdir(), "filesystem-")));
  const root = path.join(outside, "root");
  await mkdir(path.join(root, "docs"), { recursive: true });
  await writeFile(path.join(outside, "secret.txt"), "secret");
  await writeFile(path.join(root, "README.md"), "# Title\n\nFirst line.\nSecond line.\n");
  await writeFile(path.join(root, "docs", "windows.txt"), "\uFEFFone\r\ntwo\r\n");
  await writeFile(path.join(root, "image.png"), Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"));
  await writeFile(path.join(root, ".gitignore"), "ignored/\n");
  await symlink(outside, path.join(root, "escape"));
  return {
    pack: filesystem({ roots: [root], write: true }),
    fingerprint: () => describeFolder(outside),
    dispose: () => rm(outside, { recursive: true, force: true }),
  };
}

/** Calls that succeed on these files. */
export const filesystemExamples: ExampleCalls = {
  fs_read: [{ path: "README.md", startLine: 2, endLine: 3 }, { paths: ["README.md", "docs/windows.txt"] }],
  fs_list: [{}, { depth: 3 }, { glob: "**/*.txt" }, { countBy: "folder", sort: "lines" }],
  fs_stat: [{ path: "docs" }, { path: "image.png" }],
  fs_write: [
    { path: "notes.md", content: "# Notes\n" },
    { path: "list.md", content: [{ name: "a" }], template: "- {name}" },
    { path: "README.md", content: "new\n", overwrite: true },
  ],
  fs_edit: [{ path: "README.md", edits: [{ old: "First", new: "1st" }] }],
  fs_move: [{ from: "README.md", to: "docs/guide.md" }],
  fs_copy: [{ from: "docs", to: "copy" }],
  fs_delete: [{ path: "README.md" }, { path: "docs", permanent: true }],
  fs_mkdir: [{ path: "made/deep" }],
};
