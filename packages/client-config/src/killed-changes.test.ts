import { rmSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { byMove, bySetup, filesIn, homeWith, snapshotOf } from "./home.fixture.ts";
import { killAt } from "./kill-at.fixture.ts";

const clientFiles = {
  ".cursor/mcp.json": '{ "mcpServers": { "git": { "command": "uvx", "args": ["mcp-server-git"] } } }\n',
  ".codeium/windsurf/mcp_config.json": '{ "mcpServers": { "wind": { "serverUrl": "https://w.example.com" } } }\n',
  ".config/goose/config.yaml": "extensions:\n  developer: { enabled: true, type: builtin } # ours\n",
};

type Home = ReturnType<typeof homeWith>;

/**
 * Kills a step at each of its changes, until it ends. At the write of a file, it is killed once halfway and once before. After each kill, the end must
 * restore every file.
 *
 * @returns how many changes the step makes
 */
function killEverywhere(before: (home: Home) => void, killed: (home: Home) => void, end: (home: Home) => void): number {
  const home = homeWith(clientFiles);
  const original = filesIn(home.home);
  before(home);
  const restore = snapshotOf(home.home, (directory) => rmSync(directory, { recursive: true }));
  const killOnce = (at: number, halfway: boolean) => {
    restore();
    const death = killAt(at, halfway, () => killed(home));
    end(home);
    expect(filesIn(home.home), `killed at change ${at}`).toEqual(original);
    return death;
  };
  let halves = 0;
  for (let at = 1; at < 200; at += 1) {
    const { isKilled, isHalfway } = killOnce(at, true);
    if (isHalfway) killOnce(at, false);
    halves += Number(isHalfway);
    if (isKilled) continue;
    expect(halves).toBeGreaterThan(0);
    return at;
  }
  throw new Error("the step never ends");
}

const nothing = () => {};

describe.skipIf(process.platform !== "linux").each([
  [byMove, (home: Home) => void home.move()],
  [bySetup, (home: Home) => void home.setUp(["cursor", "goose"])],
])("%s", (by, change) => {
  const undo = (home: Home) => void home.undo(by);

  test("killed at any change can be undone", () => {
    expect(killEverywhere(nothing, change, undo)).toBeGreaterThan(10);
  });

  test("killed at any change of the undo is completed by a second undo", () => {
    expect(killEverywhere(change, undo, undo)).toBeGreaterThan(5);
  });

  test("killed at any change is completed by a second run, which can be undone", () => {
    const complete = (home: Home) => {
      change(home);
      expect(home.read(".cursor/mcp.json")).toContain("dist/cli.js");
      undo(home);
    };
    expect(killEverywhere(nothing, change, complete)).toBeGreaterThan(10);
  });
});
