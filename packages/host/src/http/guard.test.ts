import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, describe, expect, test } from "vitest";
import { checked } from "./checked.fixture.ts";
import { checkHostNames } from "./checks/check-host-names.ts";
import {
  call,
  closeHosts,
  exchange,
  fakeObservability,
  messageHeaders,
  rawConnection,
  seen,
  startHost,
  withHeaders,
} from "./http-host.fixture.ts";
import { readTarget } from "./checks/read-target.ts";
import { checkSingleHeaders } from "./checks/check-single-headers.ts";

afterEach(closeHosts);

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Memory that is in use, without garbage. */
function usedBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });

/** The lines of a valid request of a 2025 client. A line replaces the one of the same header; `Name:` alone removes it. */
function lines(port: number, ...changes: readonly string[]): readonly string[] {
  const name = (line: string) => line.split(":", 1)[0]?.toLowerCase() ?? "";
  const all = [
    `Host: 127.0.0.1:${port}`,
    ...Object.entries(messageHeaders).map(([header, value]) => `${header}: ${value}`),
    `Content-Length: ${Buffer.byteLength(body)}`,
  ].filter((line) => !changes.some((one) => name(one) === name(line)));
  return ["POST /mcp HTTP/1.1", ...all, ...changes.filter((one) => !one.endsWith(":"))];
}

const status = (response: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(response)?.[1]);

describe("Host and Origin", () => {
  const accepted = [
    "Host: localhost",
    "Host: LOCALHOST:3333",
    "Host: localhost.",
    "Host: [::1]:3333",
    "Host: [0:0:0:0:0:0:0:1]",
    "Host: tools.example.com",
    "Host: Public.Example.com:443",
    "Origin: http://localhost:5173",
    "Origin: https://tools.example.com",
  ];
  const refused = [
    "Host: evil.example",
    "Host: localhost.evil.example",
    "Host: evil.example:3333",
    "Host: evil@localhost",
    "Host: localhost@evil.example",
    "Host: 127.0.0.1.evil.example",
    "Host: 2130706433",
    "Host: [::ffff:7f00:1]",
    "Host: localhost..",
    "Host: localhost/x",
    "Host: localhost:x",
    "Host: localhost:65536",
    "Origin: null",
    "Origin: http://evil.example",
    "Origin: http://localhost.evil.example",
    "Origin: http://localhost@evil.example",
    "Origin: file://",
    "Origin: localhost",
    "Origin: http://localhost, http://evil.example",
  ];
  const checkNames = checkHostNames({
    host: "127.0.0.1",
    allowedHosts: ["tools.example.com"],
    publicUrl: "https://public.example.com/mcp",
  });
  const withHost = (line: string) => (line.startsWith("Host") ? [line] : ["Host: localhost", line]);

  test.each(accepted)("accepts %s", async (line) => {
    expect(await checked([checkNames], { lines: withHost(line) })).toBe("passed");
  });

  test.each(refused)("refuses %s with 403", async (line) => {
    const message = line.startsWith("Host") ? "http.allowedHosts" : "http.allowedOrigins";
    const refusal = { status: 403, message: expect.stringContaining(message) };
    expect(await checked([checkNames], { lines: withHost(line) })).toMatchObject(refusal);
  });

  test.each(["http://localhost/mcp", "*"])("refuses the request target %s with 400", async (url) => {
    expect(await checked([readTarget], { url })).toMatchObject({ status: 400 });
  });

  test("on all addresses, the address of the connection is accepted, and other names are not", async () => {
    const authenticator = { authenticate: async () => caller, watch: () => () => {}, close: async () => {} };
    const caller = { principal: { id: "a", access: undefined }, auth: undefined };
    const { port } = await startHost({ settings: { host: "0.0.0.0" }, authenticator });
    expect(status(await exchange(port, lines(port), body))).toBe(200);
    expect(status(await exchange(port, lines(port, "Host: 10.0.0.9"), body))).toBe(403);
  });

  test("health endpoints answer every Host, and metrics do not", async () => {
    const { port } = await startHost({ observability: fakeObservability() });
    const get = (path: string) => exchange(port, [`GET ${path} HTTP/1.1`, "Host: 10.1.2.3"]);
    expect(status(await get("/healthz"))).toBe(200);
    expect(status(await get("/readyz"))).toBe(200);
    expect(status(await get("/metrics"))).toBe(403);
    expect(await exchange(port, ["GET /metrics HTTP/1.1", "Host: localhost"])).toContain("calls 1");
  });
});

describe("requests", () => {
  const duplicates = ["Host", "Origin", "Content-Type", "Authorization", "Mcp-Method", "MCP-Protocol-Version"];

  test.each(duplicates)("with two headers %s are refused with 400", async (header) => {
    const refusal = { status: 400, message: `${header.toLowerCase()}: sent more than once` };
    const lines = [`${header}: a`, `${header.toUpperCase()}: b`];
    expect(await checked([checkSingleHeaders], { lines })).toMatchObject(refusal);
  });

  test.each([
    ["GET", 405],
    ["DELETE", 405],
    ["PUT", 405],
    ["OPTIONS", 405],
  ])("with the method %s are answered with %d", async (method, expected) => {
    const { url } = await startHost();
    const response = await fetch(url, { method });
    expect([response.status, response.headers.get("allow")]).toEqual([expected, "POST"]);
  });

  test.each(["/", "/mcp/", "/MCP", "/mcp/../mcp", "//mcp", "/%6dcp", "/metrics"])(
    "to %s find nothing",
    async (path) => {
      const { port } = await startHost();
      expect(status(await exchange(port, lines(port).with(0, `POST ${path} HTTP/1.1`), body))).toBe(404);
    },
  );

  test.each([
    ["Content-Type: text/plain", 415, "application/json"],
    ["Content-Type: application/json-patch", 415, "application/json"],
    ["Content-Type:", 415, "application/json"],
    ["Content-Encoding: gzip", 415, "compressed"],
  ])("with %s are refused with %d", async (line, expected, word) => {
    const { port } = await startHost();
    const response = await exchange(port, lines(port, line), body);
    expect(status(response)).toBe(expected);
    expect(response).toContain(word);
  });
});

describe("bodies", () => {
  test("above the limit are refused before they are sent, by their declared length", async () => {
    const { port } = await startHost({ settings: { maxBodyBytes: 1_000 } });
    const response = await exchange(port, lines(port, "Content-Length: 1001"));
    expect(status(response)).toBe(413);
    expect(response).toContain("larger than 1000 bytes (http.maxBodyBytes)");
  });

  test("above the limit are refused while they are sent in chunks, and not read further", async () => {
    const { port } = await startHost({ settings: { maxBodyBytes: 1_000 } });
    const { socket, text, closed } = await rawConnection(port);
    socket.write(`${lines(port, "Content-Length:", "Transfer-Encoding: chunked").join("\r\n")}\r\n\r\n`);
    const chunk = `400\r\n${" ".repeat(1_024)}\r\n`;
    const timer = setInterval(() => socket.write(chunk), 5);
    await closed;
    clearInterval(timer);
    expect(status(text())).toBe(413);
  });

  test("of exactly the limit are accepted", async () => {
    const { port } = await startHost({ settings: { maxBodyBytes: 1_000 } });
    const full = body.padEnd(1_000);
    expect(status(await exchange(port, lines(port, "Content-Length: 1000"), full))).toBe(200);
  });

  test("are requested with 100 Continue only after the headers have been accepted", async () => {
    const { port } = await startHost({ settings: { maxBodyBytes: 1_000 } });
    const expecting = (length: number) => lines(port, "Expect: 100-continue", `Content-Length: ${length}`);
    const refused = await exchange(port, expecting(1_001));
    expect(status(refused)).toBe(413);
    const accepted = await exchange(port, expecting(body.length), body);
    expect(accepted).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/);
  });

  test("with too deep JSON, several messages or no JSON are refused, each with its reason", async () => {
    const { url } = await startHost();
    const post = async (text: string) => {
      const response = await fetch(url, { method: "POST", headers: messageHeaders, body: text });
      return [response.status, ((await response.json()) as { error: { message: string } }).error.message];
    };
    expect(await post("[".repeat(300) + "]".repeat(300))).toEqual([413, "body: nested more than 256 levels deep"]);
    expect(await post("{")).toEqual([400, "body: expected JSON"]);
    const batch = JSON.stringify([1, 2].map((id) => ({ jsonrpc: "2.0", id, method: "ping" })));
    expect(await post(batch)).toEqual([400, expect.stringContaining("batches are not supported")]);
  });

  test("of many small values are refused within three seconds", async () => {
    const { url } = await startHost({ settings: { maxBodyBytes: 4_000_000 } });
    const text = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "echo", arguments: [] },
    });
    const startedAt = performance.now();
    const many = text.replace("[]", `{"text":[${"{},".repeat(1_200_000)}{}]}`);
    const response = await fetch(url, { method: "POST", headers: messageHeaders, body: many });
    expect(response.status).toBe(413);
    expect(performance.now() - startedAt).toBeLessThan(3_000);
  });

  test("that differ from their headers are refused with 400, of clients of both eras", async () => {
    const { url } = await startHost();
    const modern = call("echo", { text: "a" });
    const legacy = {
      method: "POST",
      headers: messageHeaders,
      body: JSON.stringify({
        ...JSON.parse(modern.body as string),
        params: { name: "echo", arguments: { text: "a" } },
      }),
    };
    for (const request of [modern, legacy]) {
      const wrong: readonly Record<string, string>[] = [
        { "mcp-method": "tools/list" },
        { "mcp-method": "tools/call", "mcp-name": "wait" },
      ];
      for (const headers of wrong) {
        const response = await fetch(url, withHeaders(request, headers));
        expect([response.status, await response.json()]).toMatchObject([400, { error: { code: -32_020 }, id: 1 }]);
      }
      const encoded = `=?base64?${Buffer.from("echo").toString("base64")}?=`;
      expect((await fetch(url, withHeaders(request, { "mcp-name": encoded }))).status).toBe(200);
    }
    const version = await fetch(url, withHeaders(modern, { "mcp-protocol-version": "2025-11-25" }));
    expect(version.status).toBe(400);
  });
});

describe("slow clients", () => {
  const timeouts = { headersTimeout: 200, requestTimeout: 400, keepAliveTimeout: 300, connectionsCheckingInterval: 50 };

  test("that send headers or a body slowly are disconnected with 408", async () => {
    const { port } = await startHost({ timeouts });
    for (const start of ["POST /mcp HTTP/1.1\r\n", `${lines(port, "Content-Length: 1000").join("\r\n")}\r\n\r\n`]) {
      const { socket, text, closed } = await rawConnection(port);
      socket.write(start);
      const timer = setInterval(() => socket.write("x"), 50);
      await closed;
      clearInterval(timer);
      expect(status(text())).toBe(408);
    }
  });

  test("that send nothing more are disconnected", async () => {
    const { port } = await startHost({ timeouts });
    const { socket, text, closed } = await rawConnection(port);
    socket.write("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
    await closed;
    expect(status(text())).toBe(200);
  });

  test("that do not read are disconnected, use little memory meanwhile, and calls that take long go on", async () => {
    const { url, port } = await startHost({ timeouts: { stallTimeout: 1_000 } });
    const { socket } = await rawConnection(port);
    socket.pause();
    const params = { name: "flood", arguments: { steps: 10_000_000 }, _meta: { progressToken: 1 } };
    const text = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    const before = usedBytes();
    socket.write(`${lines(port, `Content-Length: ${text.length}`).join("\r\n")}\r\n\r\n${text}`);
    const long = fetch(url, call("wait", { name: "long", ms: 2_500 }));
    let peak = 0;
    const sample = () => {
      peak = Math.max(peak, usedBytes());
      return seen.stopped;
    };
    await expect.poll(sample, { timeout: 60_000, interval: 100 }).toContain("flood");
    expect(seen.reported).toBeGreaterThan(1_000);
    expect(peak - before).toBeLessThan(150_000_000);
    expect((await long).status).toBe(200);
    socket.destroy();
  }, 90_000);
});
