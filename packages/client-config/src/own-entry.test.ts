import { expect, test } from "vitest";
import { ourCommand, ownArguments, type Setup } from "./own-entry.ts";

const cached = {
  linux: "/home/me/.npm/_npx/1a/node_modules/toolpacks/dist/cli.js",
  win32: "C:\\n\\_npx\\1a\\toolpacks\\dist\\cli.js",
};

const setupWith = (program: string, platform: NodeJS.Platform = "linux"): Setup => ({
  platform,
  home: "/home/me",
  project: "/home/me/shop",
  environment: {},
  own: { name: "toolpacks", program, node: process.execPath },
});

test("a global installation is started by its path", () => {
  const program = "/usr/lib/node_modules/toolpacks/dist/cli.js";
  const { command, args } = ourCommand(["--write"], setupWith(program));
  expect(command).toMatch(/node$/);
  expect(args).toEqual([program, "--write"]);
});

test("a program in the npx cache is started by npx, on Windows through cmd", () => {
  const linux = ourCommand(["--write"], setupWith(cached.linux));
  expect(linux).toEqual({ command: "npx", args: ["-y", "toolpacks", "--write"] });
  const windows = ourCommand(["--write"], setupWith(cached.win32, "win32"));
  expect(windows).toEqual({ command: "cmd", args: ["/c", "npx", "-y", "toolpacks", "--write"] });
  for (const entry of [linux, windows])
    expect(ownArguments({ ...entry }, setupWith("/other").own)).toEqual(["--write"]);
});

test("an argument that cmd reads as a command is refused", () => {
  const root = String.raw`C:\Me & You`;
  expect(() => ourCommand(["--root", root], setupWith(cached.win32, "win32"))).toThrow(
    "cmd.exe cannot pass it to npx; run npm install -g toolpacks, then toolpacks init",
  );
});
