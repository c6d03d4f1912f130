/** Begins the text that stands for a result which a dry run does not have. */
export const dryMark = "<result of call ";

/** The limits of every script. */
export const fixedLimits = {
  /** Bytes of all its values, and of the calls that are under way in it. */
  memory: 64 * 1024 * 1024,
  /** Bytes. */
  stack: 256 * 1024,
  /** Characters of what it prints. */
  output: 100_000,
  /** Characters of its result, and of all arguments between two waits. */
  size: 16_000_000,
};

/** The limits of a script. `time`: ms in which the script itself runs, without the time in which it waits for calls. */
export type Limits = Readonly<Record<keyof typeof fixedLimits | "time" | "calls", number>>;

/** A use of a tool in the text of a script. */
export interface CodeUse {
  /** `["fs_read"]`, or a pack and a tool of it: `["issues", "ready"]`. */
  readonly path: readonly string[];
  readonly line: number;
  /** The argument of a call, and the paths in it of values that are known when the script runs. Absent if nothing is known of it. */
  readonly args?: { readonly value: unknown; readonly pending: readonly (readonly string[])[] } | undefined;
}

/** What is found in the text of a script, by line: uses of tools, and problems. */
export type ParsedCode = readonly (CodeUse | { readonly line: number; readonly message: string })[];

/** Something that a script wants from outside. */
export interface CodeRequest {
  /** Its number in the run, from 1. */
  readonly id: number;
  readonly kind: "tool" | "ask" | "open";
  /** JSON of a list: the path of the tool and its argument, or what is asked or opened. */
  readonly json: string;
  /** When it was made, in ms by the clock of the script. */
  readonly made: number;
}

/** The answer to a request. */
export interface Delivery {
  readonly id: number;
  /**
   * `dry`: a value that a dry run does not have. `large`: the text of a large result, which stays outside of the script. At the beginning there are the
   * variables (`prepare`), whose number from 1 to 2,147,483,646 decides the random numbers, and the script (`start`).
   */
  readonly kind: "value" | "error" | "dry" | "large" | "prepare" | "start";
  readonly json: string;
  /** Of a large result. */
  readonly handle?: string;
  /** The time to which it sets the clock of the script, in ms. */
  readonly at: number;
}

/** What a script did until it waits or ends. */
export interface Slice {
  requests: CodeRequest[];
  printed: string;
  end?: CodeEnd;
}

export type CodeEnd =
  | { readonly kind: "result"; readonly json: string }
  | { readonly kind: "thrown"; readonly error: ThrownError }
  | { readonly kind: "limit"; readonly limit: keyof Limits }
  /** The script reads a value that a dry run does not have: that of this request. */
  | { readonly kind: "dry"; readonly id: number };

/** An error that a script threw. It may have made up all of it. */
export interface ThrownError {
  readonly name: string;
  readonly message: string;
  readonly code?: unknown;
  readonly hint?: unknown;
  readonly line?: string;
}

/** What the thread is asked. It answers each task with one message: `parse` with ParsedCode, the others with a Slice. */
export type Task =
  | { readonly kind: "parse"; readonly code: string }
  | { readonly kind: "begin"; readonly code: string; readonly prepare: Delivery; readonly limits: Limits }
  | { readonly kind: "go"; readonly deliveries: readonly Delivery[] };
