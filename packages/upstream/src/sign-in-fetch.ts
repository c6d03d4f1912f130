import type { FetchLike } from "@modelcontextprotocol/client";
import type { RemotePlan } from "./options.ts";

/**
 * A fetch for the requests of a sign-in, which go to addresses that the server names. They have none of the headers of its block. A server over https
 * leads to https alone, and so not to plain services of this machine or its network.
 */
export function signInFetch({ url }: RemotePlan, fetch: FetchLike): FetchLike {
  const isSecure = new URL(url).protocol === "https:";
  return async (address, init) => {
    const target = new URL(address);
    if (isSecure && target.protocol !== "https:") {
      throw new Error(`the server leads to ${target.origin}; expected https`);
    }
    return fetch(address, init);
  };
}
