import { expect, test } from "vitest";
import { rate, shareLine } from "./report.ts";

test("a rate is whole, with its thousands apart", () => {
  expect(rate(1234.56)).toBe("1,235/s");
});

test("a row that compares says both rates, the share and what is promised", () => {
  const compared = {
    what: "sign_transaction",
    perSecond: 960.4,
    than: { what: "sign_raw_payload", perSecond: 1000 },
    least: 0.95,
  };
  expect(shareLine({ ...compared, share: 0.95 })).toEqual({
    what: "sign_transaction",
    result: "960/s, sign_raw_payload 1,000/s: 0.95",
    target: "at least 0.95 of sign_raw_payload",
    isMet: true,
  });
  expect(shareLine({ ...compared, share: 0.949, note: "two turns" })).toMatchObject({
    result: "960/s, sign_raw_payload 1,000/s: 0.95; two turns",
    isMet: false,
  });
  expect(shareLine({ ...compared, share: Number.NaN }).isMet).toBe(false);
});
