import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { hookHome, hookSamples } from "./hooks.fixture.ts";

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
