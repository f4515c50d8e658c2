import { nearest } from "@keyhearth/policy/errors";
import type { Given, Surroundings } from "../command.ts";
import { connect } from "../connection/connect.ts";
import { listOperations } from "../contract/operations.ts";
import { unposted } from "../contract/unposted.ts";
import { InputError } from "../errors.ts";
import { labelOf, readText } from "../json.ts";
import { jsonText, plain, type Report } from "../output.ts";

/** Stamps exactly these characters, and sends them. */
export async function request(given: Given, surroundings: Surroundings): Promise<Report> {
  const path = pathOf(given.word(0));
  const file = given.wordIfAny(1) ?? "-";
  const { client, url } = await connect(given, surroundings);
  const body = withoutLastLineFeed(await readText(file));
  if (body === "") throw new InputError(`${labelOf(file)} is empty: give the body of the request`);
  if (given.has("no-post")) return unposted({ url, stamper: client.stamper }, path, body);
  const answer = await client.request(path, body);
  return {
    exitCode: 0,
    json: answer,
    text: () => jsonText(answer),
  };
}

/** Editors end a file with a line feed, which nobody means to stamp. */
function withoutLastLineFeed(text: string): string {
  return text.replace(/\r?\n$/, "");
}

/** A path of the API, or the name of an operation. */
function pathOf(given: string): string {
  const paths = listOperations().map(({ path }) => path);
  const found = paths.find((path) => path === given || path.endsWith(`/${given}`));
  if (found !== undefined) return found;
  // A service may be newer than this command.
  if (/^\/public\/v1\/(query|submit)\/\w+$/.test(given)) return given;
  const name = given.split("/").at(-1) ?? "";
  const near = nearest(
    name,
    paths.map((path) => path.split("/").at(-1) ?? ""),
  );
  const hint = near ? `: did you mean ${paths.find((path) => path.endsWith(`/${near}`))}?` : "";
  throw new InputError(
    `the path must be one of the API, such as /public/v1/query/whoami, but is ${JSON.stringify(plain(given.slice(0, 100)))}${hint}`,
  );
}
