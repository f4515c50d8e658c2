import { expect, test } from "vitest";
import { Connection } from "../connection/connection.ts";
import { exportReceipts } from "./receipts.ts";

const receiptKey = { publicKey: "", payload: "", signature: "" };

/** A service with three pages of one segment each; `numberOf` says what number a page claims. */
function serviceOf(numberOf: (page: number) => unknown) {
  const asked: unknown[] = [];
  const connection = new Connection({
    baseUrl: "http://keyhearth.test",
    organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
    stamper: { stamp: async () => ({ name: "X-Stamp", value: "" }) },
    async fetch(_, { body }) {
      asked.push(JSON.parse(String(body)).afterSegment);
      const page = asked.length;
      const payload = JSON.stringify({ number: numberOf(page) });
      return Response.json({
        receiptsFile: {
          version: "keyhearth.receipts.v1",
          organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
          receiptKey,
          segments: [{ payload, signature: `${page}` }],
          receipts: [{ leafHash: `${page}`, segment: page, index: 0, path: [] }],
        },
        hasMore: page < 3,
        unsealed: 0,
      });
    },
  });
  return { asked, connection };
}

test("all pages become one file", async () => {
  const { asked, connection } = serviceOf((page) => page + 4);
  const file = await exportReceipts(connection, { afterSegment: 4 });
  expect(asked).toEqual(["4", "5", "6"]);
  expect(file.segments.map(({ signature }) => signature)).toEqual(["1", "2", "3"]);
  expect(file.receipts.map(({ segment }) => segment)).toEqual([1, 2, 3]);
});

test("reading stops if the pages of a service lead nowhere", async () => {
  for (const numberOf of [() => 1, () => "2", () => -1]) {
    const { asked, connection } = serviceOf(numberOf);
    await expect(exportReceipts(connection)).rejects.toMatchObject({
      name: "UnexpectedAnswer",
      code: "INVALID_RESPONSE",
      docsUrl: expect.stringContaining("#invalid-response"),
    });
    expect(asked.length).toBeLessThan(3);
  }
});
