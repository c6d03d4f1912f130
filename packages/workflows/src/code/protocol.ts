/** A limit of a script, as errors name it. */
export type Limit = "memory" | "stack" | "time" | "output" | "calls" | "size";

/** Limits of a machine in bytes: of all values of its script, and of the calls that are under way in it. */
export const machineLimits = { memory: 64 * 1024 * 1024, stack: 256 * 1024 } as const;

/** The limits of one script. */
export interface ScriptLimits {
  /** Time in ms in which the script itself runs. The time in which it waits for calls does not count. */
  readonly time: number;
  /** Characters of what it prints. */
  readonly output: number;
  readonly calls: number;
  /** Characters of its result, and of all arguments between two waits. */
  readonly size: number;
}

/** A use of a tool in the text of a script. */
export interface CodeUse {
  /** `["fs_read"]`, or a pack and a tool of it: `["issues", "ready"]`. */
  readonly path: readonly string[];
  readonly line: number;
  /** The argument of a call. Absent if nothing is known of it. */
  readonly args?: {
    readonly value: unknown;
    /** Paths of the values that are known when the script runs. */
    readonly pending: readonly (readonly string[])[];
  };
}

export interface ParsedCode {
  readonly uses: readonly CodeUse[];
  /** One sentence each, beginning with its line: `line 3: …`. */
  readonly problems: readonly string[];
}

/** Something that a script wants from outside. */
export interface CodeRequest {
  /** Its number in the run, from 1. `read` has numbers of its own. */
  readonly id: number;
  /** `read`: a part of a large result, which is answered at once. */
  readonly kind: "tool" | "ask" | "open" | "read";
  /** JSON of a list: the path of the tool and its argument, or what is asked or read. */
  readonly json: string;
}

/** The answer to a request. */
export interface Delivery {
  readonly id: number;
  /** `dry`: a value that a dry run does not have. `large`: the handle of a large result, and its size. */
  readonly kind: "value" | "error" | "dry" | "large";
  readonly json: string;
}

/** What a script did until it waits or ends. */
export interface Slice {
  readonly requests: readonly CodeRequest[];
  readonly printed: string;
  readonly end?: CodeEnd;
}

export type CodeEnd =
  | { readonly kind: "result"; readonly json: string }
  | { readonly kind: "thrown"; readonly error: ThrownError }
  | { readonly kind: "limit"; readonly limit: Limit }
  /** The script reads a value that a dry run does not have: that of this request. */
  | { readonly kind: "dry"; readonly id: number };

export interface ThrownError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly hint?: string;
  readonly line?: number;
}

/** What the thread is asked. It answers each task with one message. */
export type Task =
  | { readonly kind: "parse"; readonly code: string }
  | {
      readonly kind: "begin";
      readonly code: string;
      /** JSON of an object with the variables of the script. */
      readonly variables: string;
      /** Decides the random numbers. */
      readonly seed: number;
      /** The time of the script's clock in ms. */
      readonly now: number;
      readonly limits: ScriptLimits;
    }
  | { readonly kind: "go"; readonly deliveries: readonly Delivery[]; readonly now: number }
  | { readonly kind: "end" };

export type Answer = ParsedCode | Slice;
