import type { Given, Surroundings } from "../command.ts";
import { connect } from "../connection/connect.ts";
import type { Report } from "../output.ts";
import { cut } from "../pages.ts";
import { listReport } from "../tables.ts";

/** The users of the organization, and what they authenticate with. */
export async function usersList(given: Given, surroundings: Surroundings): Promise<Report> {
  const { client } = await connect(given, surroundings);
  const { users } = await client.listUsers({});
  return listReport("users", cut(given, users), {
    shown: [
      ["USER", ({ userId }) => userId],
      ["NAME", ({ userName }) => userName],
      ["EMAIL", ({ userEmail = "" }) => userEmail],
      ["KEYS", ({ apiKeys }) => String(apiKeys.length)],
      ["PASSKEYS", ({ authenticators }) => String(authenticators.length)],
      ["TAGS", ({ userTags }) => String(userTags.length)],
    ],
    none: "there is no user",
  });
}
