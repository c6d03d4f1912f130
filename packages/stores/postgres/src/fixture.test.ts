import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { startPostgres } from "./fixture.ts";

// Only root's PostgreSQL runs as another account.
test.skipIf(process.getuid?.() !== 0)(
  "a folder that PostgreSQL's account cannot reach is refused at once",
  async () => {
    const privateFolder = mkdtempSync(path.join(tmpdir(), "private-"));
    vi.stubEnv("TMPDIR", privateFolder);
    onTestFinished(() => {
      vi.unstubAllEnvs();
      rmSync(privateFolder, { recursive: true });
    });
    await expect(startPostgres()).rejects.toThrow(
      /^PostgreSQL cannot be started for tests: .*nobody cannot reach .*private-.*; set TMPDIR to a folder/,
    );
    expect(readdirSync(privateFolder)).toEqual([]);
  },
  10_000,
);
