import type { Given, Surroundings } from "../command.ts";
import { connect } from "../connection/connect.ts";
import type { Report } from "../output.ts";
import { confirmed } from "../prompts.ts";

/** Deletes a user with all credentials. */
export async function usersDelete(given: Given, surroundings: Surroundings): Promise<Report> {
  const { client } = await connect(given, surroundings);
  const userId = given.word(0);
  await confirmed(
    surroundings,
    `Delete the user ${userId} with all credentials?`,
    given.has("yes"),
  );
  const { userIds } = await client.deleteUsers({ userIds: [userId] });
  return { exitCode: 0, json: { userIds }, text: () => `deleted the user ${userId}` };
}
