import { describe, expect, test } from "vitest";
import { MessageEnds } from "./message-ends.ts";
import { peekEnds } from "./peek-ends.ts";

const inside = `{"id":"inner","a":[${"1,".repeat(2_000)}{"text":"\\",\\"id\\":8}, ü","id":9}],"method":"inner","id":"inner"}`;

/** However the message is cut into pieces. */
function peek(message: string) {
  const bytes = Buffer.from(message);
  const peeked = [1, 100, 256, 300, bytes.length].map((size) => {
    const ends = new MessageEnds();
    for (let at = 0; at < bytes.length; at += size) ends.push(bytes.subarray(at, at + size));
    return peekEnds(ends);
  });
  for (const one of peeked) expect(one).toEqual(peeked[0]);
  const [one] = peeked;
  return one && { ...one, id: JSON.stringify(one.id) };
}

describe("peekEnds", () => {
  test.each([
    ["the id first", `{"jsonrpc":"2.0","id":17,"result":${inside}}\n`, "17"],
    ["the id last", `{"result":${inside},"jsonrpc":"2.0","id":"a,\\"b"}\r\n`, '"a,\\"b"'],
    ["the id before the version", `{"result":${inside},"id":0,"jsonrpc":"2.0"}\n`, "0"],
    ["spaces, that is an error", ` { "id" : 1.0 , "jsonrpc" : "2.0" , "error" : ${inside} } \n`, "1.0"],
    ["something behind the id", `{"result":${inside},"id":4,"more":{"id":5,"b":[1,2]}}\n`, "4"],
  ])("tells the id of an answer with %s", (_, message, id) => {
    expect(peek(message)).toEqual({ id, isRequest: false });
  });

  test.each([
    ["the id first", `{"jsonrpc":"2.0","id":17,"method":"a","params":${inside}}\n`, "17"],
    ["the id last", `{"method":"a","params":${inside},"jsonrpc":"2.0","id":17}\n`, "17"],
    ["the id first and the method last", `{"id":3,"params":${inside},"method":"a"}\n`, "3"],
  ])("tells the id of a request with %s", (_, message, id) => {
    expect(peek(message)).toEqual({ id, isRequest: true });
  });

  test.each([
    ["the id of what is inside", `{"result":${inside}}\n`],
    ["an id in the middle", `{"result":${inside},"id":1,"more":${inside}}\n`],
    ["the ids of a batch", `[{"id":1,"result":${inside}},{"result":${inside},"id":2}]\n`],
    ["the id of what may be either", `{"jsonrpc":"2.0","id":1,"more":${inside},"even":${inside}}\n`],
    ["the id of a notification", `{"method":"a","params":${inside},"jsonrpc":"2.0"}\n`],
    ["none", `{"method":"a","params":${inside},"jsonrpc":"2.0","id":null}\n`],
    ["an id in no JSON", `said: ${inside},"id":1}\n`],
  ])("does not take for it %s", (_, message) => {
    expect(peek(message)).toBeUndefined();
  });
});
