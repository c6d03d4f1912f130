import type { Writable } from "node:stream";

/** Keeps stdout for the protocol alone: what a pack writes there, by whatever way, goes to stderr from now on. */
export function claimStdout(): Writable {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  // Stdout itself but for `write`: a stream around it would write everything twice.
  return new Proxy<Writable>(stdout, {
    get(target, name) {
      if (name === "write") return write;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}
