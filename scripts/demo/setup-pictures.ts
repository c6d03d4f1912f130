import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { knownClients } from "../../packages/client-config/src/index.ts";
import { cli } from "./connect.ts";
import { terminalSvg } from "./terminal-svg.ts";

/** The home folder in the pictures. */
const shownHome = "/home/me";

/** Draws the file that `init` writes for each client. Each picture is named by its file in `docs/pictures`. */
export async function drawSetups(): Promise<Readonly<Record<string, string>>> {
  const home = mkdtempSync(path.join(tmpdir(), "setup-home-"));
  try {
    const program = installForNpx(home);
    const drawn = knownClients.map(async ({ id }) => {
      const command = `npx -y toolpacks init ${id} --print`;
      const output = await runInit({ home, program, id });
      const terminal = `\u001B[32m$\u001B[39m \u001B[1m${command}\u001B[22m\n${output}`;
      return [`init-${id}.svg`, terminalSvg(terminal, `Output of ${command}`)] as const;
    });
    return Object.fromEntries(await Promise.all(drawn));
  } finally {
    rmSync(home, { recursive: true });
  }
}

/** Copies the built command to the cache of npx, as `npx -y toolpacks` does. From there, `init` writes entries that start npx. */
function installForNpx(home: string): string {
  const folder = path.join(home, ".npm/_npx/1/node_modules/toolpacks");
  const isCode = (file: string) => path.extname(file) !== ".wasm";
  cpSync(path.dirname(cli), path.join(folder, "dist"), { recursive: true, filter: isCode });
  writeIn(folder, "package.json", '{ "type": "module" }');
  return path.join(folder, "dist", path.basename(cli));
}

function writeIn(folder: string, file: string, text: string): void {
  mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
  writeFileSync(path.join(folder, file), text);
}

interface Setup {
  readonly home: string;
  readonly program: string;
  readonly id: string;
}

async function runInit({ home, program, id }: Setup): Promise<string> {
  const cwd = path.join(home, "project");
  mkdirSync(cwd, { recursive: true });
  const env = { HOME: home, PATH: home, FORCE_COLOR: "1" };
  const { stdout } = await promisify(execFile)(process.execPath, [program, "init", id, "--print"], { cwd, env });
  return stdout.replaceAll(home, shownHome).trimEnd();
}
