import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { knownClients, parseText, type KnownClient } from "../../packages/client-config/src/index.ts";
import { drawSetups } from "../demo/setup-pictures.ts";
import { root } from "../readme/code-blocks.ts";

const text = readFileSync(path.join(root, "docs/quickstart.md"), "utf8").replaceAll("\r\n", "\n");
const sections = new Map(text.split(/^## /m).map((section) => [section.split("\n", 1)[0] ?? "", section]));
const pictures = path.join(root, "docs/pictures");

/** The path of a client's file, as a person writes it. */
function userFile({ userFile: fileIn }: KnownClient, platform: NodeJS.Platform): string {
  const home = platform === "win32" ? "C:\\Users\\me" : "/home/me";
  const file = fileIn({ platform, home, project: home, environment: {} }).replace(
    `${home}\\AppData\\Roaming`,
    "%APPDATA%",
  );
  return file.startsWith(home) ? file.replace(home, "~").replaceAll("\\", "/") : file;
}

test.each(knownClients.map((client) => [client.name, client] as const))(
  "the quickstart shows the file of %s on each platform, its entry, and its picture",
  (name, client) => {
    const section = sections.get(name) ?? "";
    for (const platform of ["darwin", "win32", "linux"] as const)
      expect(section).toContain(`\`${userFile(client, platform)}\``);
    if (client.projectFile !== undefined) expect(section).toContain(`\`${client.projectFile.join("/")}\` of `);
    expect(section).toContain(`(pictures/init-${client.id}.svg)`);
    const block = new RegExp(`\`\`\`${client.format}\n([^]*?)\`\`\``).exec(section)?.[1] ?? "";
    const line = { command: "npx", args: ["-y", "toolpacks", "--root", "/home/me/project"] };
    const servers = { toolpacks: { ...client.entries.create("toolpacks", line), ...client.listsTools } };
    expect(parseText({ file: name, format: client.format, text: block })).toEqual(
      client.at.reduceRight<unknown>((inner, key) => ({ [key]: inner }), servers),
    );
  },
);

test.skipIf(process.platform !== "linux")("the pictures of the clients show what init prints", async () => {
  const drawn = await drawSetups();
  expect(Object.keys(drawn)).toEqual(knownClients.map(({ id }) => `init-${id}.svg`));
  expect(readdirSync(pictures).filter((name) => name.startsWith("init-"))).toEqual(Object.keys(drawn).toSorted());
  for (const [name, svg] of Object.entries(drawn)) {
    const committed = readFileSync(path.join(pictures, name), "utf8").replaceAll("\r\n", "\n");
    expect(committed, `docs/pictures/${name} is out of date; run \`pnpm pictures\``).toBe(svg);
    expect(svg).toContain("(new\u00A0file)");
    expect(svg).not.toMatch(/(?:href|src|url\()/);
  }
});
