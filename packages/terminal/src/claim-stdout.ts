import type { Writable } from "node:stream";
import type { Io } from "./io.ts";

/** Reserves stdout for the protocol: everything else that is written to stdout goes to stderr. Returns the real stdout. */
export function claimStdout(io: Pick<Io, "stdout">): Writable {
  const { stdout, stderr } = process;
  if (io.stdout !== stdout) return io.stdout;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  // A proxy of stdout with the original `write`: a wrapping stream would buffer everything twice.
  return new Proxy<Writable>(stdout, {
    get(target, name) {
      if (name === "write") return write;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}
