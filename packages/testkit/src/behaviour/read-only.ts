import { listedTools, createCatalog, createDispatcher, type Pack } from "@toolpacks/core";
import { connectPack, type Host } from "../hosts.ts";

/** Checks that a read-only server neither lists nor calls mutating tools, and lists all others. */
export async function readOnlyProblems(pack: Pack, host: Host): Promise<readonly string[]> {
  const tools = await listedTools(pack);
  const expected = tools.filter(({ mutates }) => !mutates).map(({ name }) => name);
  const problems: string[] = [];
  // A server without tools does not answer tools/list.
  if (expected.length > 0) {
    const connection = await connectPack(pack, host, { readOnly: true });
    const listed = (await connection.listTools()).map(({ name }) => name);
    await connection.close();
    if (listed.join() !== expected.join()) problems.push(`read-only: listed ${listed.join(", ")}`);
  }
  const dispatcher = createDispatcher(await createCatalog({ packs: [pack] }).view({ readOnly: true }));
  for (const { name, mutates } of tools) {
    if (!mutates) continue;
    const outcome = await dispatcher.dispatch({ name, args: {} });
    const code = outcome.ok ? "a result" : outcome.failure.code;
    if (code !== "denied") problems.push(`${name}: read-only: expected denied, answered ${code}`);
  }
  return problems;
}
