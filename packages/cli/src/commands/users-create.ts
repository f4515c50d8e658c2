import type { Given, Surroundings } from "../command.ts";
import { connect } from "../connection/connect.ts";
import { publicKeyOf } from "../connection/public-keys.ts";
import type { Report } from "../output.ts";
import { factsReport } from "../tables.ts";

/** A user who has an API key, such as a program. */
export async function usersCreate(given: Given, surroundings: Surroundings): Promise<Report> {
  const key = given.required("public-key", "the public half of the user's key, or a key's name");
  const { publicKey, curveType } = await publicKeyOf(key, given.option("curve"), surroundings.env);
  const { client } = await connect(given, surroundings);
  const userEmail = given.option("email");
  const { userIds } = await client.createUsers({
    users: [
      {
        userName: given.word(0),
        ...(userEmail !== undefined && { userEmail }),
        apiKeys: [{ apiKeyName: given.option("key-name") ?? "first key", publicKey, curveType }],
        authenticators: [],
        oauthProviders: [],
        userTags: [...given.list("tag")],
      },
    ],
  });
  const [userId = ""] = userIds;
  return factsReport({ userId, publicKey }, [
    ["user", userId],
    ["key", publicKey],
  ]);
}
