import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { generatePrivateKey, publicKeyOf } from "@keyhearth/crypto/keys/keys";
import { fingerprint } from "@keyhearth/crypto/stamps/fingerprint";
import { parseApiKeyStamp } from "@keyhearth/crypto/stamps/stamp";
import { KeyhearthClient } from "./client.ts";
import type { ConnectionOptions } from "./connection/connection.ts";
import type { Activity } from "./generated/types.ts";
import { ApiKeyStamper } from "./stampers/api-key.ts";

/** One request as the peer received it. */
export type Received = { path: string; body: string; headers: IncomingHttpHeaders };

/**
 * The peer's answer. A function can read the request. `hang` never answers, and `close` ends the
 * connection instead.
 */
export type Answer =
  | { status?: number; headers?: Record<string, string>; json: unknown }
  | { status?: number; headers?: Record<string, string>; text: string }
  | "hang"
  | "close";

/** In an answer: the fingerprint of the last submission, as an honest service has it. */
const OWN_FINGERPRINT = `sha256:${"0".repeat(64)}`;

/** A fake service on a real socket that gives the prepared answers in order. */
export async function startPeer(...answers: Array<Answer | ((received: Received) => Answer)>) {
  const received: Received[] = [];
  let own = OWN_FINGERPRINT;
  const server = createServer(async (request, response): Promise<unknown> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString("utf8");
    const entry = { path: request.url ?? "", body, headers: request.headers };
    received.push(entry);
    if (entry.path.includes("/submit/")) own = fingerprint(encodeUtf8(body));
    const next = answers.shift() ?? { status: 500, text: "no answer was prepared" };
    const answer = typeof next === "function" ? next(entry) : next;
    if (answer === "hang") return;
    if (answer === "close") return response.destroy();
    response.writeHead(answer.status ?? 200, {
      "Content-Type": "application/json",
      ...answer.headers,
    });
    const text = "json" in answer ? JSON.stringify(answer.json) : answer.text;
    response.end(text.replaceAll(OWN_FINGERPRINT, own));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // Listening on TCP, so the address is not a path.
  const { port } = server.address() as AddressInfo;
  return {
    received,
    url: `http://127.0.0.1:${port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function newApiKey() {
  const privateKey = generatePrivateKey("CURVE_P256");
  return {
    apiPublicKey: encodeHex(publicKeyOf("CURVE_P256", privateKey)),
    apiPrivateKey: encodeHex(privateKey),
  };
}

export const organizationId = "5b2a9f04-64f9-4d4b-9d8e-3c5a0a9c1f11";

export function newClient(baseUrl: string, options: Partial<ConnectionOptions> = {}) {
  return new KeyhearthClient({
    baseUrl,
    organizationId,
    stamper: new ApiKeyStamper(newApiKey()),
    poll: { intervalMs: 5, timeoutMs: 10_000 },
    ...options,
  });
}

/** A complete activity, of which each test changes what it needs. */
export function newActivity(changes: Partial<Activity> = {}): Activity {
  const now = { seconds: "1700000000", nanos: "0" };
  return {
    id: "018f3c1e-7d5a-7c31-9a65-0a4b2d6c7e88",
    organizationId,
    status: "ACTIVITY_STATUS_COMPLETED",
    type: "ACTIVITY_TYPE_CREATE_WALLET",
    intent: {},
    result: {},
    votes: [],
    fingerprint: OWN_FINGERPRINT,
    canApprove: false,
    canReject: true,
    createdAt: now,
    updatedAt: now,
    ...changes,
  };
}

/** An activity that waits for approvals of this request, as an honest service shows it. */
export async function waitingActivity(body: string): Promise<Activity> {
  const { value } = await new ApiKeyStamper(newApiKey()).stamp(body);
  const { publicKey, signature, scheme } = parseApiKeyStamp(value);
  const activity = newActivity({ status: "ACTIVITY_STATUS_CONSENSUS_NEEDED" });
  const now = activity.createdAt;
  const user = {
    userId: "u1",
    userName: "ada",
    authenticators: [],
    apiKeys: [],
    userTags: [],
    oauthProviders: [],
    mfaPolicies: [],
    createdAt: now,
    updatedAt: now,
  };
  const vote = {
    id: "v1",
    userId: "u1",
    user,
    activityId: activity.id,
    selection: "VOTE_SELECTION_APPROVED" as const,
    message: body,
    publicKey,
    signature,
    scheme,
    createdAt: now,
  };
  return { ...activity, fingerprint: fingerprint(encodeUtf8(body)), votes: [vote] };
}
