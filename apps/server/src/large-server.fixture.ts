// An MCP server in plain JSON-RPC. Its tools `make` and `take` stream texts of any size.
import { createHash } from "node:crypto";
import { once } from "node:events";

/** A piece of text with all characters that JSON escapes. `make` repeats it as often as requested. */
const piece = Array.from({ length: 10_000 }, (_, at) => `${at}\t"quoted" \\ ${"→ 🙂 \u0001 ".repeat(at % 4)}\n`).join(
  "",
);
const escapedPiece = JSON.stringify(piece).slice(1, -1);

interface Request {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly name?: string; readonly arguments?: { readonly times?: number } };
}

const send = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const respond = (id: number | undefined, text: string) => send({ id, result: { content: [{ type: "text", text }] } });

async function make(id: number | undefined, times: number): Promise<void> {
  process.stdout.write('{"result":{"content":[{"type":"text","text":"');
  for (let written = 0; written < times; written += 1) {
    if (!process.stdout.write(escapedPiece)) await once(process.stdout, "drain");
  }
  process.stdout.write(`"}]},"jsonrpc":"2.0","id":${id}}\n`);
}

function handle({ id, method, params }: Request): void {
  const result = {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "large", version: "1" },
  };
  if (method === "initialize") send({ id, result });
  else if (method === "tools/call") void make(id, params?.arguments?.times ?? 0);
}

/** A longer line is a call of `take`, and is answered with its digest. Its id is 3. */
const maxRequestBytes = 10_000;
let line: Buffer[] = [];
let size = 0;
let hash = createHash("sha256");
process.stdin.on("data", (chunk: Buffer) => {
  let start = 0;
  for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
    add(chunk.subarray(start, end));
    if (size > maxRequestBytes) respond(3, `${size} ${hash.digest("hex")}`);
    else handle(JSON.parse(Buffer.concat(line).toString()) as Request);
    [line, size, hash] = [[], 0, createHash("sha256")];
    start = end + 1;
  }
  add(chunk.subarray(start));
});

function add(part: Buffer): void {
  size += part.length;
  hash.update(part);
  if (size <= maxRequestBytes) line.push(part);
}
