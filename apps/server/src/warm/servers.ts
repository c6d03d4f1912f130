import { rmSync } from "node:fs";
import { connectTo } from "./client.ts";
import { sendMessage, type Greeting } from "./messages.ts";
import { socketAddress, socketNames } from "./place.ts";

/** Finds the warm servers of this user, and removes the sockets that killed ones have left. */
export async function findServers(): Promise<readonly (Greeting & { readonly address: string })[]> {
  const found = await Promise.all(
    socketNames().map(async (name) => {
      const address = socketAddress(name);
      const connection = await connectTo(address);
      if (connection === "none") rmSync(address, { force: true });
      if (connection === "none" || connection === undefined) return undefined;
      connection.socket.destroy();
      return { ...connection.greeting, address };
    }),
  );
  return found.filter((one) => one !== undefined);
}

/** Tells a server to end after its running requests. */
export async function stopServer(address: string): Promise<void> {
  const connection = await connectTo(address);
  if (connection === "none" || connection === undefined) return;
  const closed = new Promise((resolve) => connection.socket.once("close", resolve));
  sendMessage(connection.socket, { kind: "stop" });
  await closed;
}
