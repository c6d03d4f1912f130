import { programCommand, startProgram } from "@toolpacks/store-sql/fixture";
import { expect } from "vitest";
import { testContention } from "./contention.fixture.ts";

const load = new URL("claim-load.fixture.ts", import.meta.url);

testContention({
  claimers: 16,
  queueLength: 500,
  contend: async ({ address }, claimers, by) => {
    const programs = Array.from({ length: claimers }, (_, at) =>
      startProgram(programCommand(load, [address, `agent-${at}`, by])),
    );
    const ends = await Promise.all(programs.map(({ ended }) => ended));
    expect(ends).toEqual(programs.map(() => ({ code: 0, stderr: "" })));
    return programs.map(({ lines }, at) => ({ actor: `agent-${at}`, lines }));
  },
});
