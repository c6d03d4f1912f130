import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { idsInThreads } from "./contend.fixture.ts";
import { ensureFolderWorkspace, findFolderWorkspace } from "./folder-workspace.ts";
import { openRegistry } from "./registry.ts";

const foreign = "00112233445566778899aabbccddeeff";

let at: string;
let machine: string;
beforeEach(() => {
  at = realpathSync(mkdtempSync(path.join(tmpdir(), "workspaces-")));
  machine = "here";
});

const registryFolder = () => path.join(at, machine, "workspaces");
const registry = () => openRegistry(registryFolder());
const keyFile = (name: string) => path.join(at, name, ".git/toolpacks-workspace");
const idOf = (name: string) => ensureFolderWorkspace(registry(), path.join(at, name)).id;

/** A checkout as an archive brings it. */
function unpack(name: string, keys = `${foreign}\n`): void {
  mkdirSync(path.join(at, name, ".git"), { recursive: true });
  writeFileSync(keyFile(name), keys);
}

describe("a repository key that was not made on this machine", () => {
  test("does not join two folders, in either order of use", () => {
    unpack("template");
    unpack("hostile");
    const id = idOf("template");
    expect(idOf("hostile")).not.toBe(id);
    expect([idOf("template"), idOf("template")]).toEqual([id, id]);
    expect(findFolderWorkspace(registry(), path.join(at, "hostile")).id).toBe(idOf("hostile"));
  });

  test("does not join a folder that is unpacked later in the same place", () => {
    unpack("api");
    const id = idOf("api");
    rmSync(path.join(at, "api"), { recursive: true });
    unpack("api");
    expect(idOf("api")).not.toBe(id);
  });

  test("gets a key of this machine beside it, which identifies copies", () => {
    unpack("api");
    const id = idOf("api");
    cpSync(path.join(at, "api"), path.join(at, "copy"), { recursive: true });
    expect(idOf("copy")).toBe(id);
    expect(readFileSync(keyFile("api"), "utf8")).toMatch(new RegExp(`^${foreign}\\n[0-9a-f]{32}\\n$`));
  });

  test("is accepted on the machine that made it: a container and its host share a checkout", () => {
    mkdirSync(path.join(at, "api/.git"), { recursive: true });
    const here = idOf("api");
    machine = "container";
    const there = idOf("api");
    expect(there).not.toBe(here);
    machine = "here";
    expect(idOf("api")).toBe(here);
    machine = "container";
    expect(idOf("api")).toBe(there);
  });

  test("is removed if a full file needs room for a key of this machine", () => {
    unpack("api", `${foreign}\n`.repeat(16));
    const id = idOf("api");
    expect(idOf("api")).toBe(id);
    cpSync(path.join(at, "api"), path.join(at, "copy"), { recursive: true });
    expect(idOf("copy")).toBe(id);
  });

  test("gets the same addition from servers that start at once", async () => {
    unpack("api");
    const ids = await idsInThreads(path.join(at, "api"), registryFolder());
    expect(new Set(ids)).toEqual(new Set([idOf("api")]));
  });
});
