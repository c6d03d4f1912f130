import { spawnSync } from "node:child_process";
import { programCommand, startProgram } from "@toolpacks/store-sql/fixture";
import { expect, test } from "vitest";
import { scratchFolder } from "./scratch-folder.fixture.ts";

const load = new URL("./disk-load.fixture.ts", import.meta.url);

/** Mounts need a name space of the test's own, which some systems do not give. */
const canMount = spawnSync("unshare", ["-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status === 0;
if (!canMount)
  process.stderr.write("The tests of a full and of a read-only disk are skipped: unshare may not mount here.\n");

async function onSmallDisk(...steps: readonly string[]): Promise<readonly unknown[]> {
  const folder = scratchFolder();
  const quoted = (task: string) =>
    programCommand(load, [folder, task])
      .map((word) => `'${word}'`)
      .join(" ");
  const script = [
    `mount -t tmpfs -o size=4m tmpfs '${folder}'`,
    ...steps.map((step) =>
      step.replace(/^run (\w+)$/, (_, task: string) => quoted(task)).replaceAll("$FOLDER", folder),
    ),
  ];
  const { ended, lines } = startProgram(["unshare", "-rm", "sh", "-ec", script.join("\n")]);
  expect(await ended).toEqual({ code: 0, stderr: "" });
  return lines.map((line): unknown => JSON.parse(line));
}

test.skipIf(!canMount)(
  "a write to a full disk fails with unavailable and the cause, loses nothing, and works when there is space",
  async () => {
    const full = "unavailable: the store: the disk is full";
    const [report] = await onSmallDisk("run fill");
    expect(report).toMatchObject({ lost: [], extra: [], refused: full, several: full, problems: [] });
    expect(report).toHaveProperty(
      "acknowledged",
      expect.toSatisfy((count: number) => count > 10),
    );
  },
);

test.skipIf(!canMount)("opening a store on a full disk reports the full disk", async () => {
  const [report] = await onSmallDisk("run open");
  expect(report).toEqual({ refused: "unavailable: the store: the disk is full", found: 2 });
});

test.skipIf(!canMount)("a read-only file can be read, and writes fail with unavailable", async () => {
  const [filled, readOnlyFile, readOnlyDisk] = await onSmallDisk(
    "run fill",
    "mount --bind $FOLDER/store.db $FOLDER/store.db",
    "mount -o remount,bind,ro $FOLDER/store.db",
    "run read",
    "umount $FOLDER/store.db",
    "mount -o remount,ro $FOLDER",
    "run read",
  );
  const { acknowledged } = filled as { readonly acknowledged: number };
  const expected = { refused: "unavailable: the store: the file may only be read", found: acknowledged };
  expect(readOnlyFile).toEqual(expected);
  expect(readOnlyDisk).toEqual(expected);
});
