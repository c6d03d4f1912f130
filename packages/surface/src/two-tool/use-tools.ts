import { defineTool, failedReply, reply, type ContentBlock, type Reply, type Tool } from "@toolpacks/core";
import { runInWorkspace } from "@toolpacks/core/store";
import { z } from "zod";
import { answerOnce, type Answered } from "./batch.ts";
import { callContext, readIntent } from "./call-context.ts";
import { maxCalls, checkCalls } from "./check-calls.ts";
import { packNamed } from "./pack-named.ts";
import { runCalls } from "./run-calls.ts";
import type { CallResult } from "./call-result.ts";
import type { TwoTools } from "./two-tools.ts";

const call = z.strictObject({
  pack: z.string().min(1).max(100),
  tool: z.string().min(1).max(100),
  params: z.record(z.string(), z.unknown()).default({}).describe('{"$from": 0, "path": "id"}: from an earlier result'),
  continueOnFailure: z.boolean().optional(),
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
        tool: z.string(),
        status: z.enum(["succeeded", "failed", "not_run"]),
        value: z.unknown().optional(),
        reason: z.string().optional().describe("why it failed, or did not run"),
      }),
    )
    .describe("one for each call, in their order"),
});

/** `useTools`: calls tools in order or in parallel. */
export function useTools(twoTools: TwoTools): Tool {
  const { store } = twoTools;
  return {
    ...defineTool({
      name: "use_tools",
      description:
        "Call tools, in order or in parallel. All calls are checked before any runs; serial stops at a failure unless that call has continueOnFailure.",
      mutates: true,
      effects: { openWorld: true },
      media: true,
      input,
      output,
      handler: async ({ context, calls, strategy, operationId }, { progress, ...rest }) => {
        const intent = await readIntent(context, twoTools, rest.principal);
        // Progress is reported per call of the batch, not by its calls.
        const caller = { ...rest, intent, progress: async () => {} };
        const checked = await checkCalls(twoTools, calls, { caller, intent, strategy });
        if (!checked.ok) return envelope(intent.sessionId, { results: checked.results });
        const run = () =>
          runInWorkspace(intent.workspaceId, () => runCalls(twoTools, checked.calls, { caller, strategy, progress }));
        const { principal } = rest;
        const session = intent.sessionId;
        const batch = { operationId, calls, strategy, session, principal, retention: twoTools.batches };
        const answered = await answerOnce(store.in(intent.workspaceId), batch, run);
        return envelope(intent.sessionId, answered);
      },
    }),
    name: "useTools",
  };
}

/** Renders the results in the order of the calls. The `_meta` of a single call is that of its tool's result. The content of each tool is in separate blocks. */
function envelope(session: string, answered: Answered): Reply {
  const { results } = answered;
  const meta = results.length === 1 ? results[0]?.meta : undefined;
  return { ...render(session, answered), ...(meta && { meta }) };
}

function render(session: string, { results, notice }: Answered): Reply {
  const count = (status: CallResult["status"]) => results.filter((one) => one.status === status).length;
  const counts = (["succeeded", "failed", "not_run"] as const)
    .filter((status) => count(status) > 0)
    .map((status) => `${count(status)} ${status}`);
  const blocks: ContentBlock[] = [
    text(`session ${session}: ${counts.join(", ")}`),
    ...results.flatMap((result, at) => [text(heading(result, at)), ...(result.blocks ?? [])]),
  ];
  const failed = results.find(({ status }) => status === "failed");
  if (failed !== undefined) {
    const { code = "internal", reason = "a call failed" } = failed;
    const all = notice === undefined ? blocks : [...blocks, text(notice)];
    return failedReply(all, { code, message: `${failed.tool}: ${reason}` });
  }
  const structured = results.map(({ tool, status, value, blocks: shown, reason }) => ({
    tool,
    status,
    ...(value === undefined ? { value: shown } : { value }),
    ...(reason !== undefined && { reason }),
  }));
  const links = results.flatMap((result) => result.links ?? []);
  const whole = reply(blocks, { session, results: structured }, links);
  return notice === undefined ? whole : { ...whole, notice };
}

function heading({ tool, status, reason, hint }: CallResult, at: number): string {
  const line = `[${at}] ${tool}: ${status}${reason === undefined ? "" : `: ${reason}`}`;
  return hint === undefined ? line : `${line}\n${hint}`;
}

function text(value: string): ContentBlock {
  return { type: "text", text: value };
}
