import type { KeyhearthClient } from "@keyhearth/sdk";
import type { Asked, Given, Surroundings } from "../command.ts";
import { connect } from "../connection/connect.ts";
import { InputError } from "../errors.ts";
import { plain } from "../output.ts";
import { SentRequests } from "./sent-requests.ts";

/** The one user as whom a program works, and the service that decides what this user may do. */
export type Agent = {
  readonly client: KeyhearthClient;
  readonly url: string;
  readonly organizationId: string;
  readonly organizationName: string;
  readonly userId: string;
  readonly userName: string;
  /** The public half of the key that stamps the agent's requests, in lower case. */
  readonly publicKey: string;
  readonly sent: SentRequests;
  readonly asked: Asked;
  /** Writes a line to standard error, which is the log of the server. */
  readonly log: (line: string) => void;
};

/** Connects as the user of the chosen key. Refuses a key that policies do not bind. */
export async function openAgent(given: Given, surroundings: Surroundings): Promise<Agent> {
  const { stderr, asked } = surroundings;
  const { client, url, organizationId, key } = await connect(given, surroundings);
  const who = await client.whoami();
  if (who.organizationId !== organizationId) {
    throw new InputError(
      `the key ${plain(key.publicKey)} is of another organization, ${plain(who.organizationId)}: an agent needs a user of its own in ${organizationId}, which \`keyhearth agent create NAME --policy FILE\` makes`,
    );
  }
  const agent: Agent = {
    ...{ client, url, organizationId, asked },
    ...{ publicKey: key.publicKey.toLowerCase(), sent: new SentRequests() },
    ...{ userId: who.userId, userName: who.username, organizationName: who.organizationName },
    log: (line) => stderr.write(`keyhearth mcp: ${plain(line)}\n`),
  };
  await refuseRoot(agent);
  return agent;
}

/** Policies decide nothing about root users. One can become one later, so each signature asks again. */
export async function refuseRoot({ client, userId }: Agent): Promise<void> {
  const { configs } = await client.getOrganizationConfigs({});
  // An answer without the quorum says nothing about this user.
  if (configs.quorum?.userIds.includes(userId) === false) return;
  throw new InputError(
    "this key belongs to a root user, whom no policy limits, and an agent must be limited: make one with `keyhearth agent create NAME --policy FILE`, and start `keyhearth mcp --profile NAME`",
  );
}
