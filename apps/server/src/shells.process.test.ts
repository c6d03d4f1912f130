import { execFile, execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { cli } from "./command.process.fixture.ts";
import { hookHome, hookSamples } from "./clients/hooks.fixture.ts";
import { folder, run } from "./run-cli.fixture.ts";

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

describe.skipIf(process.platform === "win32")("a suggested command can be pasted", () => {
  test.each(["$(touch PWNED)", "`touch PWNED`", "a'; touch PWNED; '", 'a"; touch PWNED; "', "a b; touch PWNED"])(
    "from a folder named %s",
    async (name) => {
      const cwd = path.join(folder(), name);
      mkdirSync(cwd);
      writeFileSync(path.join(cwd, "toolpacks.config.json"), JSON.stringify({ write: true }));
      const { stderr } = await run(["tools", "--root", "."], { cwd, isTrusted: false });
      const command = /to trust it: (.+)$/m.exec(stderr)?.[1] ?? "";
      const place = folder();
      const heard = execFileSync("sh", ["-c", `toolpacks() { printf '%s\\n' "$@"; }\n${command}`], {
        cwd: place,
        encoding: "utf8",
      });
      expect(heard).toBe(`trust\n${cwd}\n`);
      expect(existsSync(path.join(place, "PWNED"))).toBe(false);
    },
  );
});

test.skipIf(process.platform !== "linux")("the command line of a hook runs in a shell, and saves a state", async () => {
  const { call, toolpacks, ownHook, project, env, write, directory } = hookHome();
  await toolpacks("hooks", "claude-code");
  await call("memory_remember", { text: "Deploys freeze on Fridays." });
  const [sample] = hookSamples;
  const transcript = path.join(directory, "transcript.jsonl");
  write("transcript.jsonl", sample?.transcript[0] ?? {});
  const shell = async (event: string, input: object) => {
    const running = promisify(execFile)("/bin/sh", ["-c", ownHook(".claude/settings.json", event)], {
      cwd: directory,
      env: { ...process.env, ...env },
    });
    running.child.stdin?.end(JSON.stringify(input));
    return running;
  };
  const shown = await shell("SessionStart", sample?.starts(project)[0] ?? {});
  expect(shown.stdout).toContain("Deploys freeze on Fridays.");
  const refused = await shell("PreCompact", sample?.beforeCompaction(project, transcript) ?? {});
  expect(refused.stderr).toContain("no state is saved: the transcript has no message of the agent");
});
