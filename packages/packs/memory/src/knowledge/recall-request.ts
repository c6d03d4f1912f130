import { detail } from "@toolpacks/core";
import { z } from "zod";
import { asOf, entityName, limit, recordName, since, tags, until } from "../fields.ts";

export const defaultLimit = 5;

export const recallRequest = z.object({
  query: z.string().max(1_000).meta(detail("in plain words; empty: the newest")),
  entity: entityName.optional().meta(detail("only what is about it")),
  tags: tags.meta(detail("all of them")),
  since,
  until,
  asOf,
  limit: limit.meta(detail(`default ${defaultLimit}`)),
  history: z.boolean().optional().meta(detail("what no longer holds, too; not with asOf")),
  workspace: recordName.optional().describe("or *"),
});

export type RecallRequest = z.output<typeof recallRequest>;
