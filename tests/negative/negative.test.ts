import { decodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { createApiKeyStamp } from "@keyhearth/crypto/stamps/create-stamp";
import { beforeAll, expect, test } from "vitest";
import { type Case, casesOf } from "./cases.ts";
import { exampleOf, fieldsLeftOut } from "./example.ts";
import { exceptions } from "./exceptions.ts";
import { type Operation, operations } from "./operations.ts";
import { newWorld, type World } from "./world.ts";
import { written } from "./written.ts";

// Every field of every request that is declared, with every mistake that the kind of field allows.
// Each must be refused with the path of the field, and must leave nothing behind. What is accepted on
// purpose is in `exceptions.ts`.

let world: World;
let foreign: World;
const used = new Set<unknown>();

beforeAll(async () => {
  world = await newWorld();
  foreign = await newWorld();
});

test.each(operations)("$name refuses every mistake in every field", async (operation) => {
  const before = await written([world, foreign]);
  const problems: string[] = [];
  for (const each of casesOf(operation, world, foreign)) {
    // What the declaration itself refuses needs no exception.
    const isAccepted = operation.schema.safeParse(each.body).success;
    if (isAccepted && isExcepted(operation, each)) continue;
    const problem = await problemOf(operation, each);
    if (problem) problems.push(`${each.field} (${each.mistake}): ${problem}`);
  }
  expect(problems, problems.join("\n")).toEqual([]);
  expect(await written([world, foreign])).toEqual(before);
});

test("only fields that are not supported yet are left out", () => {
  const left = operations.flatMap(({ schema }) =>
    fieldsLeftOut(schema, exampleOf(schema, "", world)),
  );
  const names = left.map((field) => field.replace(/^.*\./, ""));
  expect([...new Set(names)].toSorted()).toEqual([
    // A social login has a token or claims.
    "oidcToken",
    "sessionProfileId",
  ]);
});

test("every exception is used", () => {
  const unused = exceptions.filter((each) => !used.has(each));
  expect(unused).toEqual([]);
});

function isExcepted({ name }: Operation, { field, mistake }: Case): boolean {
  const found = exceptions.filter(
    (each) =>
      isAt(field, each.field) &&
      each.mistakes.includes(mistake) &&
      (each.operation === undefined || each.operation.test(name)),
  );
  for (const each of found) used.add(each);
  return found.length > 0;
}

function isAt(field: string, end: string | RegExp): boolean {
  return typeof end === "string" ? `.${field}`.endsWith(`.${end}`) : end.test(field);
}

/** Sends the request, and says what is wrong with the answer. */
async function problemOf(
  { path }: Operation,
  { field, mistake, body, says }: Case,
): Promise<string | undefined> {
  const { server, rootKey } = world.organization;
  const text = JSON.stringify(body);
  const signer = {
    privateKey: decodeHex(rootKey.privateKey),
    scheme: "SIGNATURE_SCHEME_TK_API_P256" as const,
  };
  const response = await server.fetch(`http://keyhearth.test/public/v1/${path}`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "X-Stamp": createApiKeyStamp(signer, encodeUtf8(text)),
    },
    body: text,
  });
  const answer = (await response.json()) as {
    message?: string;
    details?: { field?: string; code?: string }[];
  };
  const accepted = mistake === "duplicate" ? [400, 404, 409] : [400, 404];
  if (!accepted.includes(response.status)) {
    return `answered ${response.status}: ${JSON.stringify(answer).slice(0, 200)}`;
  }
  const fields = (answer.details ?? []).flatMap((detail) => detail.field ?? []);
  const isNamed = fields.some((name) => name === field || /^[.[]/.test(name.replace(field, "")));
  const { message = "" } = answer;
  if (
    says &&
    !(message.includes(says.text) && answer.details?.some(({ code }) => code === says.code))
  )
    return `said not \`${says.text}\`, but: ${message.slice(0, 300)}`;
  return isNamed ? undefined : `named [${fields.join(", ")}]: ${answer.message?.slice(0, 200)}`;
}
