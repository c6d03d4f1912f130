import { defineKind, type Kind, type Stored } from "@toolpacks/core";
import { z } from "zod";

// The kinds of the store that only replicas use: no pack, tool or workspace sees their records.

const expiresAt = z.int().describe("when it is removed, in ms since 1970");

/** A process that has open questions. It writes its record regularly: the record's generation is the heartbeat. */
export const processKind = defineKind({
  name: "process",
  schema: () => z.object({ expiresAt }),
  indexes: ["expiresAt"],
});

/**
 * A question of a call to its user, with the answer and the outcome. Its states in order: `open`; `answered` by another process; `running` again in
 * its own process; `done` with an outcome. A client that leaves before `done` makes it `cancelled`.
 */
export const questionKind = defineKind({
  name: "question",
  schema: () =>
    z.object({
      status: z.enum(["open", "answered", "running", "cancelled", "done"]),
      owner: z.string().describe("the digest of the caller's principal"),
      tool: z.string(),
      digest: z.string().describe("of the tool and the arguments"),
      process: z.string().describe("the process that runs the call"),
      response: z.string().optional().describe("the client's response, as JSON"),
      outcome: z.string().optional().describe("the call's result or next question, as JSON"),
      value: z.string().optional().describe("the value with a long outcome"),
      expiresAt,
    }),
  indexes: [["process", "status"], "expiresAt"],
});

export type QuestionRecord = Stored<z.output<typeof questionKind.schema>>;

/** A change that every replica reports to its clients. */
export const eventKind = defineKind({
  name: "event",
  schema: () =>
    z.object({
      scope: z.string(),
      process: z.string().describe("the process that published it and has delivered it to its own clients"),
      event: z.string().describe("as JSON"),
      expiresAt,
    }),
  indexes: ["expiresAt"],
});

export const expiringKinds: readonly Kind[] = [processKind, questionKind, eventKind];
