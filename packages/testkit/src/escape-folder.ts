import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";

/** A folder `data` as a root, with links out of it and with files beside it that no tool may reach. */
export interface EscapeFolder {
  /** The folder around the root. */
  readonly base: string;
  readonly root: string;
  /** Paths that lead out of the root, or to an entry that is not a file. At least 60. */
  readonly escapes: readonly string[];
  /** The escapes that stay in `base`. Tests write only there: if containment breaks, a test must not overwrite a developer's files. */
  readonly writableEscapes: readonly string[];
  /** A text that describes everything outside the root, to detect changes. */
  outside(): string;
  close(): void;
}

export interface EscapeFolderOptions {
  /** Content of the files outside the root. */
  readonly secret: string;
  /** Content of the file inside. Default `inside`. */
  readonly inside?: string;
  /** Extension of all files. Default `txt`. */
  readonly extension?: string;
}

/** Creates a temporary folder to test that tools with roots reach nothing outside of them. */
export function createEscapeFolder({
  secret,
  inside = "inside",
  extension = "txt",
}: EscapeFolderOptions): EscapeFolder {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), "escapes-")));
  const root = path.join(base, "data");
  const named = (text: string) => text.replaceAll(".txt", `.${extension}`);
  for (const folder of folders) mkdirSync(path.join(base, folder));
  for (const file of secretFiles) writeFileSync(path.join(base, named(file)), secret);
  writeFileSync(path.join(root, named("inside.txt")), inside);
  for (const [name, target] of linksOf(base)) symlinkSync(named(target), path.join(root, name));
  execFileSync("mkfifo", [path.join(root, "pipe")]);
  const socket = createServer().listen(path.join(root, "socket"));
  const paths = (templates: readonly string[]) => templates.map((escape) => named(escape).replace("{base}", base));
  return {
    base,
    root,
    escapes: paths(escapes),
    writableEscapes: paths(escapes.filter((escape) => !leavesTestFolder(escape))),
    outside: () => describeOutside(base, base),
    close: () => void socket.close(),
  };
}

const folders = ["data", "data/sub", "data/sub/deep", "database", "data-2", "elsewhere", "elsewhere/inner", "DATA2"];

const secretFiles = [
  "secret.txt",
  "database/secret.txt",
  "data-2/secret.txt",
  "elsewhere/secret.txt",
  "elsewhere/inner/secret.txt",
];

function linksOf(base: string): readonly (readonly [name: string, target: string])[] {
  return [
    ["to-file", "../secret.txt"],
    ["to-file-absolute", path.join(base, "secret.txt")],
    ["to-folder", "../elsewhere"],
    ["to-folder-absolute", path.join(base, "elsewhere")],
    ["to-sibling", "../database"],
    ["to-parent", ".."],
    ["to-top", "/"],
    ["to-proc", "/proc/self"],
    ["to-cwd", "/proc/self/cwd"],
    ["to-zero", "/dev/zero"],
    ["to-tty", "/dev/tty"],
    ["chain-1", "chain-2"],
    ["chain-2", "chain-3"],
    ["chain-3", "../secret.txt"],
    ["folder-chain", "to-folder/inner"],
    ["loop", "loop"],
    ["dangling-out", "../not-there.txt"],
    ["dangling-folder", "../not-there/file.txt"],
    ["dangling-in", "not-there-either.txt"],
    ["sub/up", "../../elsewhere"],
    ["sub/deep/far", "../../../secret.txt"],
    ["through-root", "../data/../secret.txt"],
  ];
}

const escapes: readonly string[] = [
  "../secret.txt",
  "..",
  "../",
  "./../secret.txt",
  "sub/../../secret.txt",
  "sub/deep/../../../secret.txt",
  "../../../../../../../../etc/passwd",
  "..//secret.txt",
  "../data/../secret.txt",
  "../database/secret.txt",
  "../data-2/secret.txt",
  "../DATA2/x",
  "../Data/inside.txt",
  "../data2",
  "/etc/passwd",
  "/etc/../etc/passwd",
  "//etc/passwd",
  "/",
  "/proc/self/environ",
  "/proc/self/root{base}/secret.txt",
  "/dev/zero",
  "/dev/stdin",
  "{base}/secret.txt",
  "{base}/database/secret.txt",
  "{base}/data-2/secret.txt",
  "{base}/data/../secret.txt",
  "{base}/data/sub/../../elsewhere/secret.txt",
  "{base}/DATA/inside.txt",
  "{base}/data\u0000/../secret.txt",
  "to-file",
  "to-file-absolute",
  "to-folder/secret.txt",
  "to-folder/inner/secret.txt",
  "to-folder/new.txt",
  "to-folder-absolute/secret.txt",
  "to-folder/../secret.txt/../../secret.txt",
  "to-sibling/secret.txt",
  "to-sibling/new.txt",
  "to-parent/secret.txt",
  "to-parent/elsewhere/secret.txt",
  "to-parent/new.txt",
  "to-top/etc/passwd",
  "to-proc/environ",
  "to-cwd/package.json",
  "to-zero",
  "to-tty",
  "chain-1",
  "chain-2",
  "folder-chain/secret.txt",
  "folder-chain/new.txt",
  "loop",
  "loop/x",
  "dangling-out",
  "dangling-folder",
  "sub/up/secret.txt",
  "sub/up/new.txt",
  "sub/deep/far",
  "through-root",
  "{base}/data/to-folder/secret.txt",
  "{base}/data/to-parent/secret.txt",
  "secret.txt\u0000",
  "\u0000../secret.txt",
  "inside.txt\u0000.png",
  "．．/secret.txt",
  "‥/secret.txt",
  "..\u2215secret.txt",
  "..／secret.txt",
  "..\\secret.txt",
  "..%2fsecret.txt",
  "%2e%2e/secret.txt",
  "%2e%2e%2fsecret.txt",
  "..%c0%afsecret.txt",
  "\u202e../secret.txt",
  "..\u200b/secret.txt",
  "~/secret.txt",
  "~root/.bashrc",
  "$HOME/secret.txt",
  "file:///etc/passwd",
  "file://{base}/secret.txt",
  "\\\\host\\share\\secret.txt",
  "//host/share/secret.txt",
  "C:\\secret.txt",
  ".../secret.txt",
  ".. /secret.txt",
  "pipe",
  "socket",
  "inside.txt/../../secret.txt",
  "inside.txt/x",
  "a".repeat(300),
  "a/".repeat(3000),
];

/**
 * Paths to files outside the test's folder. Tests only read them: if containment breaks, a test must not overwrite a developer's files.
 */
function leavesTestFolder(escape: string): boolean {
  const absolute = path.isAbsolute(escape) && !escape.startsWith("{base}");
  return absolute || escape.startsWith("../../..") || /^to-(top|proc|cwd|zero|tty)/.test(escape);
}

function describeOutside(base: string, directory: string): string {
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => !(directory === base && entry.name === "data"))
    .map((entry) => {
      const full = path.join(directory, entry.name);
      return `${full}\n${entry.isDirectory() ? describeOutside(base, full) : readFileSync(full, "utf8")}`;
    })
    .sort()
    .join("\n");
}
