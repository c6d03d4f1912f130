import { listedTools, renderFailure, type Failure, type Interceptor } from "@toolpacks/core";
import { exampleCalls, type ExampleCalls } from "../rules/examples.ts";
import { withPack, type CreatePack } from "../pack-under-test.ts";
import { silentDispatcher } from "./silent-dispatch.ts";

const internalPatterns: readonly (readonly [RegExp, string])[] = [
  [/\n\s+at \S/, "a stack"],
  [/\bnode:(internal|fs|[a-z_]+:\d)/, "a module of Node"],
  [/node_modules[\\/]/, "a path of the installation"],
  [
    /\bE(NOENT|ACCES|PERM|EXIST|ISDIR|NOTDIR|NOTEMPTY|LOOP|MFILE|INVAL|BUSY|XDEV|ROFS|NOSPC|IO|CONN[A-Z]+|PIPE): /,
    "an operating system error's own message",
  ],
  // The error of a caller's script names the line of the script.
  [
    /(?<!line \d+: [^\n]*)(?:Cannot (read|set) properties of|is not (a function|iterable|defined)\b)/,
    "a bug's own message",
  ],
  [/\[object Object\]/, "an object as text"],
];

/** Finds internals in a failure, which a model cannot use or must not see. */
export function failureLeaks(failure: Failure): readonly string[] {
  const text = renderFailure(failure);
  return internalPatterns.flatMap(([pattern, what]) =>
    pattern.test(text) ? [`${what} in ${JSON.stringify(text)}`] : [],
  );
}

const canary = "canary-3f1c";

/** Makes the context of a handler throw, like a bug in the handler. */
const poison: Interceptor = (call, next) => {
  const bug = () => {
    throw new Error(canary);
  };
  const { signal } = new AbortController();
  let dispatchAsked = false;
  Object.defineProperties(signal, {
    // Dispatch itself makes the first call, before the handler runs.
    throwIfAborted: { value: () => (dispatchAsked ? bug() : void (dispatchAsked = true)) },
    addEventListener: { value: bug },
  });
  return next({ ...call, context: { ...call.context, signal, progress: async () => bug() } });
};

/** Checks that handlers do not convert bugs to results or ToolErrors, so that internal errors never reach the caller. */
export async function leakProblems(create: CreatePack, examples: ExampleCalls): Promise<readonly string[]> {
  const problems: string[] = [];
  const tools = await withPack(create, ({ pack }) => listedTools(pack));
  for (const tool of tools) {
    for (const args of exampleCalls(tool, examples)) {
      const outcome = await withPack(create, ({ pack }) =>
        silentDispatcher(pack, [poison]).dispatch({ name: tool.name, args }),
      );
      const answered = JSON.stringify(outcome);
      if (answered.includes(canary)) problems.push(`${tool.name}: a bug's message reached the caller: ${answered}`);
      else if (!outcome.ok) problems.push(...failureLeaks(outcome.failure).map((leak) => `${tool.name}: ${leak}`));
    }
  }
  return problems;
}
