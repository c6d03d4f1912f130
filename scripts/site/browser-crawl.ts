import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";

const base = "/toolpacks/";
const contentTypes: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};

/** Widths of the pages in pixels: a screen, and a telephone. */
const widths = [1280, 390] as const;

/** What the browser found. */
export interface Crawl {
  readonly pages: readonly string[];
  /** Problems by page: no content, a missing picture or heading, an error of a script, or a part that is wider than the page. */
  readonly problems: readonly string[];
}

/** The page that opens each page of the site in a frame, starting at the index, and follows its links. */
const crawler = `<!doctype html><iframe id="frame" width="${widths[0]}" height="900"></iframe><script type="module">
const frame = document.getElementById("frame");
const start = location.origin + "${base}";
const queue = [start], known = new Set(queue), problems = [], pages = [];
const isLoaded = () => frame.contentDocument?.querySelector("#app .VPContent") !== null;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
while (queue.length > 0) {
  const address = queue.shift();
  await new Promise((resolve) => { frame.onload = resolve; frame.src = address; });
  frame.contentWindow.onerror = (message) => problems.push(address + ": " + message);
  for (let tries = 0; !isLoaded() && tries < 100; tries++) await sleep(50);
  const page = frame.contentDocument;
  if (!isLoaded() || page.querySelector(".NotFound")) problems.push(address + ": not found");
  for (const width of ${JSON.stringify(widths)}) {
    frame.width = width;
    await new Promise((resolve) => requestAnimationFrame(resolve));
    const wide = [...page.querySelectorAll(".VPContent table, .VPContent img, .VPContent h2, .VPContent p")].filter((part) => part.getBoundingClientRect().right > width || part.scrollWidth > part.clientWidth + 1 && part.clientWidth > 0);
    if (page.documentElement.scrollWidth > width || wide.length > 0) problems.push(address + ": wider than " + width + " pixels: " + (wide[0]?.innerText ?? "").slice(0, 60));
  }
  frame.width = ${widths[0]};
  for (const image of page.images) { await image.decode().catch(() => problems.push(address + ": picture " + image.src)); }
  for (const link of page.querySelectorAll(".VPContent a[href], .VPSidebar a[href], .VPNav a[href]")) {
    const target = new URL(link.href);
    if (target.origin !== location.origin || target.pathname.startsWith("${base}api/")) continue;
    const anchor = decodeURIComponent(target.hash.slice(1));
    target.hash = "";
    if (target.pathname === new URL(address).pathname && anchor && anchor !== "VPContent" && !page.getElementById(anchor)) problems.push(address + ": no heading " + anchor);
    if (!known.has(target.href)) { known.add(target.href); queue.push(target.href); }
  }
  pages.push(new URL(address).pathname);
}
await fetch("/report", { method: "POST", body: JSON.stringify({ pages, problems }) });
</script>`;

/** The Chromium of this machine; undefined if there is none. */
export function findChromium(): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(path.delimiter);
  const names = ["chromium", "chromium-browser", "google-chrome"];
  return folders.flatMap((folder) => names.map((name) => path.join(folder, name))).find((file) => existsSync(file));
}

/** Serves a built site on loopback, and follows all its links in headless Chromium. */
export async function crawlSite(folder: string, chromium: string): Promise<Crawl> {
  const profile = mkdtempSync(path.join(tmpdir(), "toolpacks-chromium-"));
  const crawl = Promise.withResolvers<Crawl>();
  const server = createServer((request, response) => {
    if (request.url === "/report") readReport(request).then(crawl.resolve, crawl.reject);
    answer(folder, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const flags = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    `--user-data-dir=${profile}`,
  ];
  const address = `http://127.0.0.1:${port}/crawler`;
  const browser = spawn(chromium, [...flags, "--remote-debugging-port=0", address], { stdio: "ignore" });
  const ended = new Promise<void>((resolve) => browser.once("close", () => resolve()));
  void ended.then(() => crawl.reject(new Error("Chromium ended before its report")));
  try {
    return await crawl.promise;
  } finally {
    browser.kill("SIGTERM");
    await ended;
    server.closeAllConnections();
    server.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function readReport(request: IncomingMessage): Promise<Crawl> {
  return JSON.parse((await request.toArray()).join("")) as Crawl;
}

function answer(folder: string, { url = "" }: IncomingMessage, response: ServerResponse): void {
  if (url === "/crawler") return void response.setHeader("Content-Type", "text/html").end(crawler);
  const { pathname } = new URL(url, "http://site");
  const name = decodeURIComponent(pathname.slice(base.length));
  const file = path.join(folder, name === "" ? "index.html" : name);
  const isFile = pathname.startsWith(base) && existsSync(file) && statSync(file).isFile();
  if (!isFile) return void response.writeHead(404).end();
  response.setHeader("Content-Type", contentTypes[path.extname(file)] ?? "application/octet-stream");
  response.end(readFileSync(file));
}
