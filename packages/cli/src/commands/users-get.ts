import type { Given, Surroundings } from "../command.ts";
import { connect } from "../connection/connect.ts";
import type { Report } from "../output.ts";
import { factsReport, timeOf } from "../tables.ts";

/** A user, with every key and passkey. */
export async function usersGet(given: Given, surroundings: Surroundings): Promise<Report> {
  const { client } = await connect(given, surroundings);
  const { user } = await client.getUser({ userId: given.word(0) });
  return factsReport({ user }, [
    ["user", `${user.userName} (${user.userId})`],
    ["email", user.userEmail ?? ""],
    ["tags", user.userTags.join(", ")],
    ["since", timeOf(user.createdAt)],
    ...user.apiKeys.map(
      ({ apiKeyName, apiKeyId, credential }) =>
        ["key", `${apiKeyName} (${apiKeyId}) ${credential.publicKey}`] as const,
    ),
    ...user.authenticators.map(
      ({ authenticatorName, authenticatorId }) =>
        ["passkey", `${authenticatorName} (${authenticatorId})`] as const,
    ),
  ]);
}
