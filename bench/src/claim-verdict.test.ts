import { expect, test } from "vitest";
import { judge, type FinalIssue } from "./claim-verdict.ts";

const closed = (id: string, ...blockers: string[]): FinalIssue => ({ id, closedAt: 50, blockers });
const claim = (id: string, actor: string, at: number) => ({ id, actor, at, until: at + 100 });

test("judge tells issues that were claimed once from those that were taken over, claimed twice or lost", () => {
  const claims = [
    claim("once", "ann", 10),
    claim("left", "ann", 10),
    claim("left", "bob", 110),
    claim("held", "bob", 109),
    claim("held", "ann", 10),
    claim("open", "ann", 10),
    claim("early", "ann", 49),
    claim("late", "ann", 50),
    claim("both", "ann", 10),
    claim("both", "bob", 200),
  ];
  const closings = ["ann", "bob"].map((actor) => ({ id: "both", actor }));
  const issues = [
    ...["once", "left", "held", "both", "never"].map((id) => closed(id)),
    { id: "open", closedAt: undefined, blockers: [] },
    closed("early", "once"),
    closed("late", "once"),
  ];
  expect(judge({ claims, closings, issues })).toEqual({
    once: ["once", "late"],
    takenOver: ["left"],
    twice: ["held", "both", "early"],
    lost: ["never", "open"],
  });
});
