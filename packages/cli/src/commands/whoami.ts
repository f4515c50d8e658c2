import type { Given, Surroundings } from "../command.ts";
import { connect } from "../connection/connect.ts";
import { columns, plain, type Report } from "../output.ts";

/** Who the key belongs to, as the service says. */
export async function whoami(given: Given, surroundings: Surroundings): Promise<Report> {
  const { client, url, profile, key } = await connect(given, surroundings);
  const { organizationId, organizationName, userId, username } = await client.whoami();
  const json = { url, organizationId, organizationName, userId, username };
  return {
    exitCode: 0,
    json: { ...json, publicKey: key.publicKey, ...(profile !== null && { profile }) },
    text: (paint) =>
      columns([
        [paint("dim", "organization"), `${plain(organizationName)} (${plain(organizationId)})`],
        [paint("dim", "user"), `${plain(username)} (${plain(userId)})`],
        [paint("dim", "key"), key.publicKey],
        [paint("dim", "service"), profile === null ? url : `${url} (profile ${profile})`],
      ]).join("\n"),
  };
}
