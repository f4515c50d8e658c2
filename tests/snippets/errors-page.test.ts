import { readFileSync } from "node:fs";
import {
  ApiError,
  type ErrorCode,
  errorDetails,
  grpcCode,
  reasons,
} from "@keyhearth/engine/errors";
import { expect, test } from "vitest";
import { statusOf } from "../../apps/api/src/http/answer.ts";
import { MAX_HEADERS } from "../../apps/api/src/http/many-headers.ts";
import { thrownErrors } from "./thrown-errors.ts";

const page = readFileSync(
  new URL("../../apps/website/docs/developer-reference/api-overview/errors.mdx", import.meta.url),
  "utf8",
);

test.each(reasons)("the errors page has an entry for the link of an error %s", (reason) => {
  const [detail] = errorDetails(new ApiError("INVALID_ARGUMENT", reason, "message"));
  expect(detail?.docs).toBe(
    `/developer-reference/api-overview/errors#${reason.toLowerCase().replaceAll("_", "-")}`,
  );
  // `ErrorReason` makes an anchor of exactly that form from its code.
  expect(page).toContain(`<ErrorReason code="${reason}" status="`);
});

const thrown = thrownErrors();

test.each(reasons)(
  "the errors page has the statuses with which the service throws %s",
  (reason) => {
    const codes = [...(thrown.get(reason) ?? [])];
    const statuses = [...new Set(codes.map((code) => statusOf(code, reason)))].sort();
    expect(statuses).not.toEqual([]);
    expect(page).toContain(`<ErrorReason code="${reason}" status="${statuses.join(" ")}">`);
  },
);

test("the errors page lists every number of gRPC with its statuses", () => {
  const rows = new Map<number, Set<number>>();
  for (const [reason, codes] of thrown) {
    for (const code of codes) {
      const row = rows.get(grpcCode(code)) ?? new Set();
      rows.set(grpcCode(code), row.add(statusOf(code, reason)));
    }
  }
  // The scan has seen every kind of error, or this test would prove less than it says.
  const kinds = new Set<ErrorCode>([...thrown.values()].flatMap((codes) => [...codes]));
  expect(kinds.size).toBe(9);
  const listed = [...page.matchAll(/^\| (\d+) \| [^|]+ \| ([\d, ]+) \|/gm)];
  expect(listed.map(([, code, statuses]) => `${code}: ${statuses}`)).toEqual(
    [...rows]
      .sort(([first], [second]) => first - second)
      .map(([code, statuses]) => `${code}: ${[...statuses].sort().join(", ")}`),
  );
});

test("the errors page has the answers that come before the API looks at a request", () => {
  expect(page).toContain(`431 answers a request with more than ${MAX_HEADERS} headers`);
  expect(page).toContain("417 one with an `Expect` header");
  expect(page).toContain("408 answers a request that did not come in time");
});

const sources = new URL("../../packages/sdk/src/errors/errors.ts", import.meta.url);
const [, union = ""] =
  /^export type ClientErrorCode =(.*?);$/ms.exec(readFileSync(sources, "utf8")) ?? [];
const ownCodes = [...union.matchAll(/"(\w+)"/g)].map(([, code = ""]) => code);

test("the SDK has codes of its own", () => {
  expect(ownCodes).toContain("CONSENSUS_NEEDED");
});

test.each(ownCodes)("the errors page has one entry for the SDK's error %s", (code) => {
  expect(page.split(`<ErrorReason code="${code}">`)).toHaveLength(2);
});
