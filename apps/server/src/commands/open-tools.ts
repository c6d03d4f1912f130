import { ToolError, type Failure, type OwnedStore } from "@toolpacks/core";
import type { Flags } from "../config/settings.ts";
import { createRuntime, type RuntimeOptions } from "../mount/runtime.ts";

/** A call of a tool by a command. */
export interface ToolCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** The result of a call, as plain JSON. */
export type ToolResult<Value> =
  | { readonly ok: true; readonly value: Value; readonly text: string }
  | { readonly ok: false; readonly failure: Failure };

/** Tools that a command calls by dispatch: with the policy and rights of a model's call. */
export interface Tools {
  /** Calls a tool. Never rejects for a failure of the tool. */
  call<Value = unknown>(call: ToolCall): Promise<ToolResult<Value>>;
}

/** Runs a function with the tools of a runtime that the flags select. Its calls leave no traces. */
export async function withUntracedTools<T>(
  flags: Flags,
  work: (tools: Tools, store: OwnedStore) => Promise<T>,
  use: Pick<RuntimeOptions, "io" | "narrow">,
): Promise<T> {
  const { surface, store, finish } = await createRuntime(flags, { quiet: "error", recordsTraces: false, ...use });
  const tools: Tools = {
    async call<Value>({ tool, args }: ToolCall): Promise<ToolResult<Value>> {
      const outcome = await surface.call({ name: tool, args, context: { resultMode: "full" } });
      if (!outcome.ok) return { ok: false, failure: outcome.failure };
      if (outcome.value === undefined) throw new Error(`${tool} returned no structured result`);
      return { ok: true, value: outcome.value as Value, text: outcome.text };
    },
  };
  try {
    return await work(tools, store);
  } finally {
    await finish();
  }
}

/** @throws ToolError when the call failed */
export function requireValue<Value>(result: ToolResult<Value>): Value {
  if (result.ok) return result.value;
  const { code, message, hint } = result.failure;
  throw new ToolError(code, message, hint);
}
