import type { Runtime } from "../mount/runtime.ts";
import { buildCallArguments } from "./call-arguments.ts";
import { inputSchemaOf } from "./input-schema.ts";
import type { Answer, CallOutcome, CallRequest, RequestKind, RequestOptions, SendRequest } from "./tool-requests.ts";

/** Answers requests by a runtime of this process. */
export function requestsOf(runtime: Runtime): SendRequest {
  let rank: Answer<"rank"> | undefined;
  const answers: { readonly [Kind in RequestKind]: Answer<Kind> } = {
    call: (request, options) => call(runtime, request, options),
    async rank(request, options) {
      rank ??= (await import("./rank-tools.ts")).createRank(runtime);
      return rank(request, options);
    },
  };
  return (kind, request, options) => answers[kind](request, options);
}

async function call(
  { surface, mounting }: Runtime,
  { tool, args: given }: CallRequest,
  { signal, onEvent }: RequestOptions,
): Promise<CallOutcome> {
  const servers = mounting.upstreams.filter(({ remote }) => tool.startsWith(remote.prefix));
  if (servers.length > 0) onEvent({ waitsFor: servers.map(({ name }) => name) });
  await Promise.all(servers.map((pack) => pack.ready()));
  const schema = given.pairs.length === 0 ? undefined : await inputSchemaOf(surface, tool);
  const outcome = await surface.call({
    name: tool,
    args: buildCallArguments(given, schema),
    context: {
      signal,
      // A command prints values, not handles.
      resultMode: "full",
      progress: async (done, total, message) => onEvent({ progress: { done, total, message } }),
    },
  });
  const { value, blocks } = outcome;
  const content = { ...(value !== undefined && { value }), ...(blocks !== undefined && { blocks }) };
  if (!outcome.ok) return { ok: false, failure: outcome.failure, ...content };
  const { text, notice } = outcome;
  return { ok: true, text, ...content, ...(notice !== undefined && { notice }) };
}
