import { defineTool, detail, unlisted, type Failure, type Intent, type Tool } from "@toolpacks/core";
import { runInWorkspace } from "@toolpacks/store";
import { z } from "zod";
import { renderBatch } from "../batch/render-batch.ts";
import { maxCalls, type BatchCall } from "../batch/batch.ts";
import { directCallFailure } from "../direct-call-failure.ts";
import { answerOnce } from "./batch.ts";
import { callContext, readIntent } from "./call-context.ts";
import { packNamed } from "./pack-named.ts";
import { findTool } from "./pack-tools.ts";
import type { TwoTools } from "./two-tools.ts";

const call = z.strictObject({
  pack: z.string().min(1).max(200),
  tool: z.string().min(1).max(200),
  params: z.record(z.string(), z.unknown()).default({}).describe("${steps.s1.items[0].id}: from call s1"),
  fields: z.array(z.string().max(200)).min(1).max(100).optional().describe("shown of rows"),
  id: z.string().max(40).optional().meta(detail("default: s1, s2, … by its place")),
  continueOnFailure: z.boolean().optional(),
  show: z.boolean().optional().meta(unlisted("its result; default: unless a later call received it")),
});

const input = z.object({
  context: callContext,
  calls: z.array(packNamed(call)).min(1).max(maxCalls),
  strategy: z.enum(["serial", "parallel"]).default("serial"),
  operationId: z.string().min(1).max(200).optional().describe("a retry then answers as before"),
});

const output = z.object({
  session: z.string().describe("the session's id"),
  results: z
    .array(
      z.object({
        id: z.string(),
        tool: z.string(),
        status: z.enum(["succeeded", "failed", "not_run"]),
        about: z.string().optional().meta(unlisted("items of a list, or what is left out")),
        value: z.unknown().optional(),
        reason: z.string().optional().describe("why it failed, or did not run"),
        hint: z.string().optional(),
      }),
    )
    .describe("one for each call, in their order"),
});

/** `useTools`: calls tools in order or in parallel. */
export function useTools(twoTools: TwoTools): Tool {
  const { store, dispatcher, parallel: concurrency, callTimeout: timeout, checkHandles, toolNames } = twoTools;
  return {
    ...defineTool({
      name: "use_tools",
      description:
        "Call tools, in order or in parallel. All are checked first; after a failure, serial changes nothing without continueOnFailure.",
      mutates: true,
      effects: { openWorld: true, calls: true },
      media: true,
      input,
      output,
      handler: async ({ context, calls, strategy, operationId }, { progress, ...rest }) => {
        const intent = await readIntent(context, twoTools, rest.principal);
        // Progress is reported per call of the batch, not by its calls.
        const caller = { ...rest, intent, toolNames, progress: async () => {} };
        const requested = calls.map((one) => requestedCall(twoTools, one, intent));
        const options = { dispatcher, context: caller, progress, strategy, concurrency, timeout, checkHandles };
        const { checkBatch } = await import("../batch/check-batch.ts");
        const checked = await checkBatch(requested, options);
        const { principal } = rest;
        const { sessionId: session, workspaceId } = intent;
        const run = () => runInWorkspace(workspaceId, () => checked.run());
        const batch = { operationId, calls, strategy, session, principal, retention: twoTools.batches };
        const answered = checked.canRun
          ? await answerOnce(store.in(workspaceId), batch, run)
          : { results: await run() };
        return renderBatch({ ...answered, heading: `session ${session}: `, fields: { session } });
      },
    }),
    name: "useTools",
  };
}

function requestedCall({ packs }: TwoTools, given: z.output<typeof call>, intent: Intent): BatchCall {
  const { pack, tool, params, ...rest } = given;
  const found = findTool(packs, pack, tool);
  const target = "entry" in found ? found.entry : { failure: unknownTool(tool, found.unknown) };
  const fromIntent = "entry" in found ? Object.entries(found.entry.tool.fromIntent ?? {}) : [];
  const more = Object.fromEntries(
    fromIntent.flatMap(([field, part]) => (intent[part] === undefined ? [] : [[field, intent[part]]])),
  );
  return { ...rest, name: `${pack}.${tool}`.slice(0, 140), target, args: params, more };
}

function unknownTool(tool: string, message: string): Failure {
  return directCallFailure(tool, "inside calls") ?? { code: "not_found", message };
}
