import { expect, test } from "vitest";
import { requestContext } from "./register-tools.ts";

test("progress that JSON would write as null is not sent", async () => {
  const sent: string[] = [];
  const { progress } = requestContext({
    _meta: { progressToken: 1 },
    sendNotification: async (notification: object) => void sent.push(JSON.stringify(notification)),
  });
  await progress(Number.POSITIVE_INFINITY, 5);
  await progress(Number.NaN);
  await progress(1, Number.POSITIVE_INFINITY);
  expect(sent.map((one) => (JSON.parse(one) as { params: object }).params)).toEqual([
    { progressToken: 1, progress: 1 },
  ]);
});
