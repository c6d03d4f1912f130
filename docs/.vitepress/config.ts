import { defineConfig } from "vitepress";
import { repositoryLink } from "./repository-links.ts";
import { sidebar } from "./sidebar.ts";

export default defineConfig({
  title: "Toolpacks",
  description: "Tool packs for MCP servers, and a server that mounts many of them behind a tool list of constant size.",
  base: "/toolpacks/",
  srcExclude: ["node_modules/**"],
  // Tests build into a folder of their own.
  outDir: process.env["DOCS_OUT"] ?? ".vitepress/dist",
  cacheDir: "node_modules/.cache/vitepress",
  // Addresses of a user's own machine, such as that of a model.
  ignoreDeadLinks: "localhostLinks",
  markdown: {
    config(md) {
      md.core.ruler.push("repository links", ({ tokens, env }) => {
        const { relativePath } = env as { relativePath: string };
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const href = token.type === "link_open" ? token.attrGet("href") : null;
          const address = href === null ? undefined : repositoryLink(href, relativePath);
          if (address !== undefined) token.attrSet("href", address);
        }
      });
    },
  },
  themeConfig: {
    nav: [
      { text: "Quickstart", link: "/quickstart" },
      { text: "Tutorials", link: "/tutorials/five-servers", activeMatch: "^/tutorials/" },
      { text: "Reference", link: "/reference/cli", activeMatch: "^/reference/" },
    ],
    sidebar: sidebar.map(({ text, items }) => ({ text, items: [...items] })),
    socialLinks: [{ icon: "github", link: "https://github.com/toolpacks/toolpacks" }],
    search: { provider: "local" },
    outline: [2, 3],
  },
});
