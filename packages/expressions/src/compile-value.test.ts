import { expect, test } from "vitest";
import { compileValue } from "./compile-value.ts";

test("compileValue renders texts, lists and objects, and keeps the type of a text of one expression", async () => {
  const render = await compileValue({ id: "${item.id}", list: ["a ${item.id}", 1], sum: "${item.id + 1}" }, "args");
  expect(await render({ item: { id: 7 } })).toEqual({ id: 7, list: ["a 7", 1], sum: 8 });
  await expect(render({ item: {} })).rejects.toThrow("${item.id}: item has no id");
  await expect(compileValue({ a: ["${1 +}"] }, "args")).rejects.toThrow(
    /^args\.a\[0\]: \$\{1 \+\} is not an expression/,
  );
});

test("compileValue reads a field whose name is a number like an index", async () => {
  const values = { groups: { "1": "a", name: "b" } };
  for (const source of ["${groups[1]}", "${groups.1}", "${groups['1']}", "${[groups].map(one, one[1])[0]}"]) {
    expect(await (await compileValue(source, "x"))(values)).toBe("a");
  }
  const none = (await compileValue("${groups[0]}", "x"))(values);
  await expect(none).rejects.toThrow("groups has no 0 (there is 1, name)");
});

test("compileValue gives an expression more time than a run does", async () => {
  const slow = "${numbers.filter(a, numbers.exists(b, string(a) + string(b) == '')).size()}";
  const numbers = Array.from({ length: 1_300 }, (_, at) => at);
  expect(await (await compileValue(slow, "args"))({ numbers })).toBe(0);
});
