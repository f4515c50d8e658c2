import type { McpServerFactory } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Agent } from "./agent.ts";
import { LONGEST_REQUEST_BYTES } from "./bounds.ts";

/** Serves one client on standard input and output, until it closes them or a signal comes. */
export async function serveOverStdio(
  agent: Agent,
  servers: McpServerFactory,
  ended: Promise<void>,
) {
  const { stdin, stdout } = process;
  const transport = new StdioServerTransport(stdin, stdout, {
    maxBufferSize: LONGEST_REQUEST_BYTES,
  });
  const closed = new Promise<void>((resolve) => {
    for (const event of ["end", "close", "error"]) stdin.once(event, () => resolve());
    stdout.once("error", () => resolve());
  });
  const handle = serveStdio(servers, {
    transport,
    maxSubscriptions: 0,
    onerror: (error) => agent.log(`a message of the client was refused: ${error.message}`),
  });
  await Promise.race([closed, ended]);
  await handle.close();
  stdin.destroy();
}
