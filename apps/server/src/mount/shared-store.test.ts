import { randomBytes } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { createDatabase, type TestDatabase } from "@toolpacks/store-postgres/fixture";
import { modernSite, serveWithOAuth } from "@toolpacks/upstream/fixture";
import { beforeAll, describe, expect, test } from "vitest";
import { runProgram } from "@toolpacks/command-line";
import { program } from "../command-line/commands.ts";
import { folder, run, testIo } from "../run-cli.fixture.ts";

const rough = fileURLToPath(new URL("../../../../packages/upstream/src/rough-server.fixture.ts", import.meta.url));

let server: TestDatabase;
beforeAll(async () => {
  server = await createDatabase();
  return () => server.remove();
}, 60_000);

interface Machine {
  readonly config: object;
  readonly env?: Readonly<Record<string, string>>;
  /** The folder of the config file. Machines with images of one build have it at the same path. */
  readonly cwd?: string;
}

/** A machine with data and caches of its own, which uses the shared store. */
function machine({ config, env = {}, cwd = folder() }: Machine) {
  writeFileSync(path.join(cwd, "toolpacks.config.json"), JSON.stringify(config));
  const data = folder();
  const all = { TOOLPACKS_STORE: server.address, XDG_DATA_HOME: data, XDG_CACHE_HOME: folder(), ...env };
  const command = (...args: readonly string[]) => run(args, { cwd, env: all });
  /** Signs in, and opens the printed page as a user who agrees. */
  const signIn = async (...args: readonly string[]) => {
    const { io, output } = testIo(["sign-in", ...args, "--no-browser", "--trust"], { cwd, env: all });
    let isOpened = false;
    for (const stream of [io.stdout, io.stderr]) {
      stream.on("data", () => {
        const page = /^(http:\S+)\n/m.exec(output.all())?.[1];
        if (page === undefined || isOpened) return;
        isOpened = true;
        void fetch(page);
      });
    }
    return { code: await runProgram(io, program), output: output.all() };
  };
  return { data, command, signIn };
}

describe("a shared store", () => {
  test("has what toolpacks accept accepted, for the servers of another machine", async () => {
    const log = path.join(folder(), "log");
    const block = { command: process.execPath, args: [rough, "plain", log] };
    const config = { mcpServers: { rough: block } };
    const cwd = folder();
    const [first, second] = [machine({ config, cwd }), machine({ config, cwd })];
    expect((await first.command("doctor")).stdout).toContain("no problems");
    writeFileSync(`${log}.changes`, JSON.stringify({ description: "Another." }));
    expect((await second.command("doctor")).stdout).toMatch(/✗ rough: since its tools were accepted/);
    expect((await second.command("accept", "rough")).stdout).toContain("accepted: 12");
    expect((await first.command("doctor")).stdout).toContain("no problems");
    expect([first, second].map(({ data }) => existsSync(path.join(data, "toolpacks", "upstream")))).toEqual([
      false,
      false,
    ]);
    // The file of another project accepts for itself.
    writeFileSync(`${log}.changes`, JSON.stringify({ description: "A third." }));
    expect((await machine({ config }).command("doctor")).stdout).toContain("no problems");
    expect((await first.command("doctor")).stdout).toMatch(/✗ rough: since its tools were accepted/);
  }, 60_000);

  test("has the sign-in of each caller, encrypted with the key of the environment", async () => {
    const site = await serveWithOAuth(modernSite());
    const mcpServers = { web: { url: site.url, identity: "caller" } };
    const tokens = path.join(folder({ "tokens.json": tokenFile }), "tokens.json");
    const config = { mcpServers, http: { tokens } };
    const withoutKey = machine({ config });
    expect(await withoutKey.signIn("web", "--caller", "ada")).toEqual({
      code: 2,
      output: expect.stringMatching(/^toolpacks: \$TOOLPACKS_SECRET_KEY: required/) as string,
    });
    expect(site.grants).toEqual([]);

    const env = { TOOLPACKS_SECRET_KEY: randomBytes(32).toString("base64") };
    const first = machine({ config, env });
    const signedIn = await first.signIn("web", "--caller", "ada");
    expect(signedIn.output).toMatch(/signed in to web for ada\n$/);
    const second = machine({ config, env });
    const ofAda = await second.command("doctor", "--caller", '["subject",null,"ada-01234567"]');
    expect(ofAda.stdout).toContain("server: web, modern 2, 3 tools, used by each caller with an identity of its own");
    expect(ofAda.stdout).toContain("no problems");
    const ofBob = await second.command("doctor", "--caller", "bob");
    expect(ofBob.stdout).toContain("✗ web cannot be used: web requires a sign-in");
    expect(ofBob.stdout).toContain(`toolpacks sign-in web --caller '["subject",null,"bob-fedcba98"]'`);
    const withoutCaller = await second.command("doctor");
    expect(withoutCaller.stdout).toContain(
      "note: web: each caller signs in: toolpacks sign-in web --caller <principal>",
    );
    expect(withoutCaller.stdout).toContain("no problems");
    const unread = await withoutKey.command("doctor", "--caller", "ada");
    expect(unread.stdout).toMatch(/✗ web cannot be used: .*\$TOOLPACKS_SECRET_KEY: required/);
  }, 60_000);
});

const unused = { hash: "0".repeat(64), access: {}, createdAt: "2026-01-01T00:00:00Z" };

const tokenFile = JSON.stringify({
  tokens: [
    { id: "0123456789abcdef", name: "ada", ...unused },
    { id: "fedcba9876543210", name: "bob", ...unused },
  ],
});

describe("--caller", () => {
  const config = { mcpServers: { rough: { command: process.execPath, args: [rough, "plain"] } } };

  test("of a server that all callers share is refused", async () => {
    const { command } = machine({ config });
    const { code, stderr } = await command("accept", "rough", "--caller", '["subject",null,"x"]');
    expect(code).toBe(2);
    expect(stderr).toContain("--caller: all callers use rough with one identity; remove --caller");
    expect((await command("doctor")).stdout).toMatch(/server: rough, .*, 12 tools\n/);
  });

  test("names a token of the token file", async () => {
    expect((await machine({ config }).command("accept", "rough", "--caller", "ada")).stderr).toMatch(
      /--caller: expected the id of a principal, such as .*, received ada; for the name of a token, set http\.tokens/,
    );
    const tokens = path.join(folder({ "tokens.json": tokenFile }), "tokens.json");
    const { stderr } = await machine({ config: { ...config, http: { tokens } } }).command("doctor", "--caller", "eve");
    expect(stderr).toBe("");
    const overHttp = machine({ config: { ...config, http: { tokens } } });
    expect((await overHttp.command("doctor")).stdout).toContain("12 tools, used by all callers with one identity\n");
    const unknown = await overHttp.command("accept", "rough", "--caller", "eve");
    expect(unknown.stderr).toMatch(/--caller: .*tokens\.json has no token named eve; its tokens: ada, bob\n/);
  });
});
