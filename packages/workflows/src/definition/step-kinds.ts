export const onErrors = ["stop", "continue"] as const;

export type OnError = (typeof onErrors)[number];

export interface KindFields {
  readonly required: readonly string[];
  readonly optional: readonly string[];
}

/** The kinds of step, with the keys of each. */
export const stepKinds = {
  tool: { required: [], optional: ["params"] },
  model: { required: ["prompt"], optional: ["task", "system", "schema"] },
  workflow: { required: [], optional: ["input"] },
  parallel: { required: [], optional: ["concurrency"] },
  forEach: { required: ["steps"], optional: ["as", "concurrency"] },
  step: { required: [], optional: ["params"] },
  ask: { required: [], optional: ["choices", "schema", "deadline"] },
  wait: { required: [], optional: [] },
  issue: { required: [], optional: [] },
  code: { required: [], optional: [] },
} as const satisfies Readonly<Record<string, KindFields>>;

export type StepKind = keyof typeof stepKinds;

export const stepKindNames = Object.keys(stepKinds) as StepKind[];
