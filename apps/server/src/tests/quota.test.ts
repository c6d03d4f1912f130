import { expect, test } from "vitest";
import { folder, run } from "../run-cli.fixture.ts";

test("a workspace that holds maxWorkspaceBytes of the config file refuses further records with too_large", async () => {
  const cwd = folder({
    "toolpacks.config.json": JSON.stringify({ write: true, maxWorkspaceBytes: 5_000 }),
  });
  const put = (bytes: number) =>
    run(
      [
        "call",
        "--store",
        "s.db",
        "--workspace",
        "w",
        "store_put",
        JSON.stringify({ kind: "note", record: { text: "x".repeat(bytes) } }),
      ],
      {
        cwd,
        env: { TOOLPACKS_CONFIG: "toolpacks.config.json" },
      },
    );
  expect(await put(4_000)).toMatchObject({ code: 0 });
  const refused = await put(2_000);
  expect(refused.code).toBe(1);
  expect(`${refused.stdout}${refused.stderr}`).toMatch(
    /too_large: the workspace "w" holds \d+ bytes, and may hold 5000 \(maxWorkspaceBytes\)/,
  );
});
