import { execFile, execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { cli } from "./command.process.fixture.ts";
import { hookHome, hookSamples } from "./clients/hooks.fixture.ts";
import { folder, run } from "./run-cli.fixture.ts";

const isCampaign = process.env["TOOLPACKS_CAMPAIGN"] !== undefined;

/** A folder with the command `toolpacks`, as the scripts call it. */
const bin = folder();
writeFileSync(path.join(bin, "toolpacks"), `#!/bin/sh\nexec ${process.execPath} ${cli} "$@"\n`);
chmodSync(path.join(bin, "toolpacks"), 0o755);
const searched = `${bin}${path.delimiter}${process.env["PATH"] ?? ""}`;

function has(shell: string): boolean {
  return searched.split(path.delimiter).some((directory) => existsSync(path.join(directory, shell)));
}

/** The words that a shell completes for each line, after a program of the shell has loaded the script. */
async function complete(
  shell: "bash" | "zsh" | "fish",
  lines: readonly string[],
  programOf: (line: string) => string,
): Promise<readonly (readonly string[])[]> {
  const { stdout } = await run(["completion", shell], { isTrusted: false });
  const script = path.join(folder({ script: stdout }), "script");
  const options = { encoding: "utf8", cwd: folder(), env: { ...process.env, PATH: searched } } as const;
  const flags = { bash: ["--norc"], zsh: ["-f"], fish: ["--no-config"] }[shell];
  const program = lines.map((line) => `${programOf(line)}\necho ---`).join("\n");
  const output = execFileSync(shell, [...flags, "-c", program.replaceAll("SCRIPT", script)], options);
  return output.split("---\n").map((words) => words.split("\n").filter(Boolean));
}

const quoted = (line: string) => line.split(" ").map((word) => `'${word}'`);

const inBash = (line: string) =>
  `source SCRIPT; COMP_WORDS=(${quoted(line).join(" ")}); COMP_CWORD=${quoted(line).length - 1}; _toolpacks; printf '%s\n' "\${COMPREPLY[@]}"`;

/** The functions of zsh's completion system print what they are given. */
const inZsh = (line: string) =>
  `compdef() { }; compadd() { shift; print -l -- $@ }; _files() { }; _describe() { print -l -- \${(P)2%%:*} }
source SCRIPT; words=(${quoted(line).join(" ")}); CURRENT=${quoted(line).length}; _toolpacks`;

const inFish = (line: string) => `source SCRIPT; complete -C '${line}'`;

describe.each([
  ["bash", inBash],
  ["zsh", inZsh],
  ["fish", inFish],
] as const)("%s", (shell, programOf) => {
  test.skipIf(!has(shell) || (shell !== "bash" && !isCampaign))(
    "completes commands, flags, choices and names of tools",
    async () => {
      const lines = ["do", "issues ", "issues list --lab", "tools --surface ", "call store_pu"];
      const completed = await complete(
        shell,
        lines.map((line) => `toolpacks ${line}`),
        programOf,
      );
      // Fish adds a description to each word.
      const [commands, ofIssues, flags, choices = [], tools] = completed.map((words) =>
        words.map((word) => word.split("\t")[0] ?? ""),
      );
      expect(commands).toEqual(["doctor"]);
      expect(ofIssues).toEqual(expect.arrayContaining(["list", "create"]));
      expect(flags).toEqual(["--label"]);
      expect(choices.toSorted()).toEqual(["auto", "direct", "discovery", "two-tool"]);
      expect(tools).toEqual(["store_put"]);
    },
  );
});

const hostileNames = [
  "$(touch PWNED)",
  "`touch PWNED`",
  "a'; touch PWNED; '",
  'a"; touch PWNED; "',
  "a b; touch PWNED",
];

test.skipIf(process.platform === "win32")(
  "a suggested command can be pasted, whatever the name of its folder",
  async () => {
    const folders = hostileNames.map((name) => path.join(folder(), name));
    const commands = [];
    for (const cwd of folders) {
      mkdirSync(cwd);
      writeFileSync(path.join(cwd, "toolpacks.config.json"), JSON.stringify({ write: true }));
      const { stderr } = await run(["tools", "--root", "."], { cwd, isTrusted: false });
      commands.push(/to trust it: (.+)$/m.exec(stderr)?.[1] ?? "");
    }
    const place = folder();
    const program = [`toolpacks() { printf '%s\\n' "$@"; }`, ...commands].join("\n");
    const heard = execFileSync("sh", ["-c", program], { cwd: place, encoding: "utf8" });
    expect(heard).toBe(folders.map((cwd) => `trust\n${cwd}\n`).join(""));
    expect(existsSync(path.join(place, "PWNED"))).toBe(false);
  },
);

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
  if (!isCampaign) return;
  const refused = await shell("PreCompact", sample?.beforeCompaction(project, transcript) ?? {});
  expect(refused.stderr).toContain("no state is saved: the transcript has no message of the agent");
});
