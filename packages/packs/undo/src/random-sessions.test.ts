import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { randomCall, randomOf, stateOf } from "./random-sessions.fixture.ts";
import { undoable, type Undoable } from "./undo.fixture.ts";

const sessions = Number(process.env["UNDO_SESSIONS"] ?? 200);
const first = Number(process.env["UNDO_SEED"] ?? 1);

test(
  `${sessions} generated sessions of three actors, taken back to any point, equal a copy`,
  { timeout: 3_000_000 },
  async () => {
    for (let seed = first; seed < first + sessions; seed += 1) {
      const at = undoable();
      try {
        const random = randomOf(seed);
        const states = [await stateOf(at)];
        for (let step = 0; step < 12; step += 1) {
          await randomCall(at, random, `s${random(3)}`);
          states.push(await stateOf(at));
        }
        const steps = states.filter((state, step) => step === 0 || !isDeepStrictEqual(state, states[step - 1]));
        const calls = await callsOf(at);
        expect(steps, `seed ${seed}`).toHaveLength(calls.length + 1);
        const count = random(calls.length + 1);
        for (const call of calls.slice(0, count)) await at.call("undo", { call });
        expect(await stateOf(at), `seed ${seed}, ${count} calls back`).toEqual(steps[calls.length - count]);
        if (count === calls.length) continue;
        await at.call("undo", { since: random(2) === 0 ? 0 : "2000-01-01T00:00:00Z" });
        expect(await stateOf(at), `seed ${seed}, all back`).toEqual(steps[0]);
        await at.call("undo", { call: (await callsOf(at))[0] });
        expect(await stateOf(at), `seed ${seed}, again`).toEqual(steps[calls.length - count]);
      } finally {
        await at.end();
      }
    }
  },
);

/** The calls that changed something, the newest first. */
async function callsOf(at: Undoable): Promise<readonly string[]> {
  const { items } = await at.call("undo_list", { limit: 200 });
  return (items as readonly { readonly call: string }[]).map(({ call }) => call);
}
