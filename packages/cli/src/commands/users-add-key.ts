import type { Given, Surroundings } from "../command.ts";
import { connect } from "../connection/connect.ts";
import { publicKeyOf } from "../connection/public-keys.ts";
import type { Report } from "../output.ts";
import { factsReport } from "../tables.ts";

/** Registers the public half of a key for a user. */
export async function usersAddKey(given: Given, surroundings: Surroundings): Promise<Report> {
  const key = given.required("public-key", "the public half of the new key, or the key's name");
  const { publicKey, curveType } = await publicKeyOf(key, given.option("curve"), surroundings.env);
  const apiKeyName = given.option("key-name") ?? `key ${publicKey.slice(0, 10)}`;
  const { client } = await connect(given, surroundings);
  const { apiKeyIds } = await client.createApiKeys({
    userId: given.word(0),
    apiKeys: [{ apiKeyName, publicKey, curveType }],
  });
  const [apiKeyId = ""] = apiKeyIds;
  return factsReport({ apiKeyId, apiKeyName, publicKey }, [
    ["key", `${apiKeyName} (${apiKeyId})`],
    ["public key", publicKey],
  ]);
}
