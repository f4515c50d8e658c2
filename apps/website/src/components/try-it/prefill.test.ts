import { expect, test } from "vitest";
import contract from "../../../../../contract/openapi.json" with { type: "json" };
import { exampleReader, fillIn, prefill, withTimestamp } from "./prefill.ts";

const operations = Object.entries(contract.paths).flatMap(([path, { post }]) => {
  const { example } = post.requestBody.content["application/json"];
  return [{ path, example: JSON.stringify(example, null, 2) }];
});
const organizationId = "11111111-2222-4333-8444-555555555555";
const address = `0x${"ab".repeat(20)}`;
const userId = "99999999-2222-4333-8444-555555555555";

test.each(operations)("the example of $path becomes the reader's", ({ example }) => {
  const body = prefill(example, { organizationId, userId, address }, 1_800_000_000_000);
  expect(body).not.toContain(exampleReader.organizationId);
  expect(body).not.toContain(exampleReader.userId);
  expect(body.split(address)).toHaveLength(example.split(exampleReader.address).length);
  const { organizationId: named, timestampMs } = JSON.parse(body);
  if ("organizationId" in JSON.parse(example)) expect(named).toBe(organizationId);
  if ("timestampMs" in JSON.parse(example)) expect(timestampMs).toBe("1800000000000");
});

test("a reader who is not known keeps the ids of the example", () => {
  const [first] = operations;
  const body = prefill(first?.example ?? "", null, 5);
  expect(body).toBe(withTimestamp(first?.example ?? "", 5));
});

test.each(["$(touch x)", "a' ; rm -rf b '", "a\nb"])("ids like %j fill no sample", (bad) => {
  const sample = `curl -d '{"organizationId":"${exampleReader.organizationId}"}'`;
  expect(fillIn(sample, { organizationId: bad, userId, address })).toBe(sample);
  expect(fillIn(sample, { organizationId, userId, address: bad })).toBe(sample);
});

test("a new time changes nothing else, in however broken a body", () => {
  expect(withTimestamp('{ "timestampMs" : "1", "a": [', 7)).toBe('{ "timestampMs" : "7", "a": [');
  expect(withTimestamp('{"organizationId":"x"}', 7)).toBe('{"organizationId":"x"}');
});

test("a sample for a shell has the reader's organization instead of a variable", () => {
  const sample = `-d '{"organizationId":"'$ORGANIZATION_ID'"}' # $ORGANIZATION_ID`;
  const filled = fillIn(sample, { organizationId, userId, address: null });
  expect(filled).toBe(`-d '{"organizationId":"${organizationId}"}' # $ORGANIZATION_ID`);
});
