import type { Given, Surroundings } from "../command.ts";
import { InputError } from "../errors.ts";
import { openAgent } from "../mcp/agent.ts";
import { serveOverHttp, tokenOf } from "../mcp/http.ts";
import { createServers } from "../mcp/server.ts";
import { serveOverStdio } from "../mcp/stdio.ts";

const DEFAULT_PORT = 3200;

/** Serves the wallets of one user to a program, until it goes away or a signal comes. */
export async function mcp(given: Given, surroundings: Surroundings): Promise<null> {
  const port = portOf(given);
  const tokenFile = given.option("token-file");
  if (port === undefined && tokenFile !== undefined) {
    throw new InputError("--token-file is for --http: over standard input, nobody needs a token");
  }
  const ended = untilStopped();
  const agent = await openAgent(given, surroundings);
  const servers = createServers(agent);
  const { url, userName, userId, organizationName, organizationId } = agent;
  agent.log(`as ${userName} (${userId}) of ${organizationName} (${organizationId}), at ${url}`);
  if (port === undefined) {
    await serveOverStdio(agent, servers, ended);
    return null;
  }
  const { token, isNew } = await tokenOf(tokenFile);
  const server = await serveOverHttp(agent, servers, { port, token });
  agent.log(`listening on ${server.url}`);
  if (isNew) agent.log(`clients send the header Authorization: Bearer ${token}`);
  await ended;
  await server.close();
  return null;
}

function portOf(given: Given): number | undefined {
  if (given.has("http")) return DEFAULT_PORT;
  return given.count("http", { least: 0, most: 65_535 });
}

/** A second signal ends the process at once. */
function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.once(signal, () => resolve());
    }
  });
}
