import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type KeyhearthClient,
  KeyhearthError,
  NotFound,
  PolicyDenied,
  Unavailable,
} from "@keyhearth/sdk";
import { NotSigned } from "./answer.ts";
import { reasonsOf } from "./denial.ts";
import { explain, main } from "./explain.ts";
import { clientOf, read, type ServerFile, serverFile } from "./files.ts";
import { Ledger, StillWaiting } from "./ledger.ts";
import { parsePayout, payoutOf, sign } from "./payouts.ts";

// POST /payouts signs a payout, and GET /payouts/ID says what became of one. Callers are not
// authenticated here, so the server listens on this machine only.

const MAX_BODY = 10_000;

type Payouts = { client: KeyhearthClient; ledger: Ledger; keys: ServerFile };

await main(async () => {
  const keys = await read<ServerFile>(serverFile);
  const client = clientOf(keys);
  const ledger = new Ledger(keys, (id) => payoutOf(client, keys, id));
  const server = createServer((request, response) => {
    answer(request, { client, ledger, keys }).then(
      ({ status, ...body }) => send(response, status, body),
      (error) => send(response, ...failureOf(error)),
    );
  });
  server.listen(Number(process.env.PORT ?? 4000), "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on a port
  console.log(`Payouts at http://127.0.0.1:${port}/payouts`);
  console.log(`  up to the limit from ${keys.smallAccount}, above it from ${keys.largeAccount}`);
});

type Reply = { status: number } & Record<string, unknown>;

async function answer(request: IncomingMessage, payouts: Payouts): Promise<Reply> {
  const { client, keys } = payouts;
  // A page whose name somebody points at this machine could otherwise call it as its own server.
  if (!/^(127\.0\.0\.1|localhost)(:\d+)?$/.test(request.headers.host ?? "")) {
    return { status: 403, error: "Call this server by 127.0.0.1 or localhost." };
  }
  const [pathname = "/"] = (request.url ?? "/").split("?");
  const [, id] = /^\/payouts\/([0-9a-f-]{36})$/.exec(pathname) ?? [];
  if (request.method === "GET" && id !== undefined) {
    const payout = await payoutOf(client, keys, id);
    return payout ? { status: 200, payout } : { status: 404, error: "There is no such payout." };
  }
  if (request.method === "POST" && pathname === "/payouts") return create(request, payouts);
  return { status: 404, error: "There are POST /payouts and GET /payouts/ID." };
}

async function create(request: IncomingMessage, payouts: Payouts): Promise<Reply> {
  const body = await readJson(request);
  if (body === undefined) {
    return { status: 400, error: `Send JSON of at most ${MAX_BODY} bytes, as application/json.` };
  }
  const payout = parsePayout(body);
  if ("fields" in payout) {
    return { status: 400, error: "Some fields are wrong.", fields: payout.fields };
  }
  try {
    const answer = await sign(payouts, payout);
    return { status: answer.status === "waiting" ? 202 : 201, payout: answer };
  } catch (error) {
    if (!(error instanceof PolicyDenied)) throw error;
    const reasons = await reasonsOf(payouts.client, error);
    return { status: 403, error: "No policy allows this payout.", reasons };
  }
}

// Asking for JSON by name keeps web pages out: browsers do not send it to other origins unasked.
async function readJson(request: IncomingMessage): Promise<unknown> {
  if (!/^application\/json\b/.test(request.headers["content-type"] ?? "")) return undefined;
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) {
    text += chunk;
    if (text.length > MAX_BODY) return undefined;
  }
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function failureOf(error: unknown): [number, object] {
  if (error instanceof StillWaiting) return [409, { error: error.message, id: error.id }];
  if (error instanceof NotSigned) return [502, { error: error.message, id: error.id }];
  if (error instanceof NotFound) return [404, { error: "There is no such payout." }];
  if (error instanceof Unavailable) {
    return [503, { error: "Keyhearth cannot be reached. Nothing was paid; try again." }];
  }
  // Callers get no more than that it failed; the operator reads why.
  console.error(error instanceof KeyhearthError ? explain(error) : error);
  return [500, { error: "The payout failed. The server's log says why." }];
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(`${JSON.stringify(body, null, 2)}\n`);
}
