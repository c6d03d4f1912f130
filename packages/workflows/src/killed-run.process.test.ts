import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { sqlite } from "@toolpacks/store-sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { everyLine, logDispatcher } from "./killed-run.fixture.ts";

const script = fileURLToPath(new URL("./killed-run.fixture.ts", import.meta.url));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "killed-run-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("a run whose process was killed", () => {
  test.each(everyLine.map((line, at) => [at, line] as const))(
    "after %i steps has them in its report, and is resumed with %s",
    async (before, line) => {
      const [database, log] = [path.join(folder, "store.db"), path.join(folder, "log")];
      const { signal, stderr } = spawnSync(
        process.execPath,
        ["--conditions", "@toolpacks/source", script, database, log, line],
        { encoding: "utf8" },
      );
      expect([signal, stderr.replaceAll(/.*Warning.*\n?/g, "")]).toEqual(["SIGKILL", ""]);
      expect(linesOf(log)).toEqual(everyLine.slice(0, before));

      const store = sqlite(database);
      const dispatcher = logDispatcher(store, log);
      const call = async (name: string, args: object) => {
        const outcome = await dispatcher.dispatch({ name, args });
        if (!outcome.ok) throw new Error(outcome.failure.message);
        return outcome.value as Record<string, unknown> & { steps?: { step: string; status: string }[] };
      };
      const left = await call("workflow_report", {});
      expect(left["status"]).toBe("interrupted");
      const calls = left.steps?.filter(({ step }) => !["each", "both"].includes(step)) ?? [];
      expect(calls.map(({ status }) => status)).toEqual(everyLine.slice(0, before).map(() => "ok"));

      const resumed = await call("workflow_run", { resume: left["report"] });
      expect(resumed).toMatchObject({ status: "ok", result: { line: everyLine.at(-1) } });
      expect(linesOf(log)).toEqual(everyLine);
      expect(await call("workflow_report", { report: left["report"] })).toMatchObject({
        status: "interrupted",
        resumedBy: resumed["report"],
      });
      expect(await call("workflow_report", {})).toMatchObject({ resumes: left["report"], status: "ok" });
      await store.end();
    },
  );
});

function linesOf(file: string): readonly string[] {
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
}
