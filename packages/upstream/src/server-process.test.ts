import { expect, test } from "vitest";
import { taskkill } from "./server-process.ts";

test("on Windows a process tree is ended by the program of the system, not one of the working directory or PATH", () => {
  const [program, args] = taskkill(42, "D:\\Win");
  expect(program).toBe("D:\\Win\\System32\\taskkill.exe");
  expect(args).toEqual(["/pid", "42", "/t", "/f"]);
  expect(taskkill(42)[0]).toBe("C:\\Windows\\System32\\taskkill.exe");
});
