import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { cli, folder, run } from "../command.fixture.ts";

/** A folder with the command `toolpacks`, as the scripts call it. */
const bin = folder();
writeFileSync(path.join(bin, "toolpacks"), `#!/bin/sh\nexec ${process.execPath} ${cli} "$@"\n`);
chmodSync(path.join(bin, "toolpacks"), 0o755);
const searched = `${bin}${path.delimiter}${process.env["PATH"] ?? ""}`;

function has(shell: string): boolean {
  return searched.split(path.delimiter).some((directory) => existsSync(path.join(directory, shell)));
}

/** The words that a shell completes, after a program has loaded the script and completed the line. */
async function complete(shell: "bash" | "zsh" | "fish", program: string): Promise<readonly string[]> {
  const { stdout } = await run(["completion", shell], { isTrusted: false });
  const script = path.join(folder({ script: stdout }), "script");
  const options = { encoding: "utf8", cwd: folder(), env: { ...process.env, PATH: searched } } as const;
  const flags = { bash: ["--norc"], zsh: ["-f"], fish: ["--no-config"] }[shell];
  return execFileSync(shell, [...flags, "-c", program.replace("SCRIPT", script)], options)
    .split("\n")
    .filter(Boolean);
}

function inBash(line: string): Promise<readonly string[]> {
  const words = line.split(" ");
  return complete(
    "bash",
    `source SCRIPT; COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}; _toolpacks; printf '%s\\n' "\${COMPREPLY[@]}"`,
  );
}

/** The functions of zsh's completion system print what they are given. */
function inZsh(line: string): Promise<readonly string[]> {
  const words = line.split(" ");
  return complete(
    "zsh",
    `compdef() { }; compadd() { shift; print -l -- $@ }; _files() { }; _describe() { print -l -- \${(P)2%%:*} }
source SCRIPT; words=(${words.map((word) => `'${word}'`).join(" ")}); CURRENT=${words.length}; _toolpacks`,
  );
}

async function inFish(line: string): Promise<readonly string[]> {
  const lines = await complete("fish", `source SCRIPT; complete -C '${line}'`);
  return lines.map((one) => one.split("\t")[0] ?? "");
}

describe.each([
  ["bash", inBash],
  ["zsh", inZsh],
  ["fish", inFish],
] as const)("%s", (shell, completed) => {
  test.skipIf(!has(shell))("completes commands, flags, choices and names of tools", async () => {
    expect(await completed("toolpacks do")).toEqual(["doctor"]);
    expect(await completed("toolpacks issues ")).toEqual(expect.arrayContaining(["list", "create"]));
    expect(await completed("toolpacks issues list --lab")).toEqual(["--label"]);
    const surfaces = await completed("toolpacks tools --surface ");
    expect(surfaces.toSorted()).toEqual(["auto", "direct", "discovery", "two-tool"]);
    expect(await completed("toolpacks call store_pu")).toEqual(["store_put"]);
  });
});
