import { randomBytes, randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { startReceiver } from "@keyhearth/api/jobs/webhooks/receiver.testing";
import {
  attributesOf,
  type ReceivedSpan,
  startCollector,
} from "@keyhearth/api/observability/collector.testing";
import { startSmtp } from "@keyhearth/courier/smtp.testing";
import { ApiKeyStamper, KeyhearthClient } from "@keyhearth/sdk";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newDataDirectory } from "../start/data-directory.ts";
import { type RootKey, readRootKey, type Service, startService } from "../start/process.ts";

// The service as it is deployed, with its signer in a thread, a collector, a receiver of webhooks and a mail server.

/** Every attribute that may leave the service, and what its values look like. */
const allowed: Record<string, RegExp> = {
  "http.request.method": /^POST$/,
  "http.route": /^(submit|query)\/[a-z_0-9]+$|^\/proxy$/,
  "http.response.status_code": /^[2-5]\d\d$/,
  "error.type": /^[A-Z_]+$|^\d{5}$|^error$/,
  "keyhearth.organization.id": /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/,
  "keyhearth.activity.id": /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/,
  "keyhearth.activity.type": /^ACTIVITY_TYPE_[A-Z0-9_]+$/,
  "keyhearth.signer.call": /^(submit|confirm|attest|renew|sign-webhooks|describe)$/,
  "keyhearth.signer.queue_ms": /^\d+(\.\d)?$/,
  "keyhearth.signer.work_ms": /^\d+(\.\d)?$/,
  "keyhearth.commit.size": /^\d+$/,
  "keyhearth.delivery.outcome": /^(delivered|failed|dropped|retried|refused|retry)$/,
  "db.system.name": /^postgresql$/,
};

/** None of it may be anywhere in what is sent. */
const secrets = {
  walletName: "very-private-wallet-name",
  userName: "Grace Very-Private",
  email: "very-private@example.com",
  payload: "ab".repeat(31).concat("cd"),
};

const token = "collector-token-that-nobody-may-see";

let collector: Awaited<ReturnType<typeof startCollector>>;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let mail: Awaited<ReturnType<typeof startSmtp>>;
let service: Service;
let root: RootKey;
const dataDirectory = await newDataDirectory("tracing");

beforeAll(async () => {
  collector = await startCollector();
  receiver = await startReceiver();
  mail = await startSmtp();
  service = await startService({
    KEYHEARTH_DATA_DIR: dataDirectory,
    KEYHEARTH_LOG_LEVEL: "info",
    KEYHEARTH_TRACES: "1",
    KEYHEARTH_METRICS_PUSH: "5",
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${token}`,
    KEYHEARTH_WEBHOOK_PRIVATE_TARGETS: "127.0.0.1",
    SMTP_URL: `smtp://127.0.0.1:${mail.port}?tls=off`,
    KEYHEARTH_MAIL_FROM: "Acme <login@acme.example>",
  });
  root = readRootKey(dataDirectory);
}, 120_000);

afterAll(async () => {
  await service?.stop();
  for (const each of [receiver, collector]) await each?.close();
  await mail?.stop();
  rmSync(dataDirectory, { recursive: true, force: true });
});

/** A client whose requests belong to a trace of its own. */
function newTrace({ flags = "01" } = {}) {
  const traceId = randomBytes(16).toString("hex");
  const { organizationId, apiPublicKey, apiPrivateKey } = root;
  const client = new KeyhearthClient({
    baseUrl: service.url,
    organizationId,
    stamper: new ApiKeyStamper({ apiPublicKey, apiPrivateKey }),
    traceparent: () => `00-${traceId}-00f067aa0ba902b7-${flags}`,
  });
  return { traceId, client };
}

const spansOf = (id: string) => collector.spans.filter(({ traceId }) => traceId === id);
const namesOf = (id: string) => spansOf(id).map(({ name }) => name);
const poll = <T>(read: () => T) => expect.poll(read, { timeout: 20_000, interval: 100 });

test("one trace leads from the client's call to the commit, and on to webhooks and mail", async () => {
  const first = newTrace();
  await first.client.createWebhookEndpoint({ url: receiver.url, name: "receiver" });
  const { walletId, addresses } = await first.client.createWallet({
    walletName: secrets.walletName,
    accounts: [
      {
        curve: "CURVE_SECP256K1",
        pathFormat: "PATH_FORMAT_BIP32",
        path: "m/44'/60'/0'/0/0",
        addressFormat: "ADDRESS_FORMAT_ETHEREUM",
      },
    ],
  });
  const { traceId, client } = newTrace();
  await client.signRawPayload({
    signWith: addresses[0] ?? "",
    payload: secrets.payload,
    encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
    hashFunction: "HASH_FUNCTION_NO_OP",
  });
  await poll(() => namesOf(traceId)).toContain("deliver webhook");
  const spans = spansOf(traceId);
  const named = (name: string) => spans.find((span) => span.name === name) as ReceivedSpan;
  const request = named("POST submit/sign_raw_payload");
  expect(request.parentSpanId).toBe("00f067aa0ba902b7");
  expect(attributesOf(request)).toMatchObject({
    "http.response.status_code": 200,
    "keyhearth.organization.id": root.organizationId,
  });
  expect(namesOf(traceId)).toEqual(
    expect.arrayContaining(["read body", "authenticate and limit", "find records", "limits"]),
  );
  const signer = attributesOf(named("signer submit"));
  expect(signer["keyhearth.signer.call"]).toBe("submit");
  expect(Number(signer["keyhearth.signer.work_ms"])).toBeGreaterThan(0);
  const commit = named("commit");
  expect(attributesOf(commit)).toMatchObject({
    "keyhearth.activity.type": expect.stringMatching(/^ACTIVITY_TYPE_SIGN_RAW_PAYLOAD/),
    "keyhearth.commit.size": 1,
  });
  // The statement of the commit is in the commit, and all of it below the request.
  expect(spans.find(({ parentSpanId }) => parentSpanId === commit.spanId)?.name).toMatch(
    /^statement commit-\d+$/,
  );
  expect(attributesOf(named("deliver webhook"))["keyhearth.delivery.outcome"]).toBe("delivered");

  const second = newTrace();
  await second.client.createInvitations({
    invitations: [
      {
        receiverUserName: secrets.userName,
        receiverUserEmail: secrets.email,
        receiverUserTags: [],
        accessType: "ACCESS_TYPE_ALL",
        senderUserId: root.userId,
      },
    ],
  });
  await poll(() => namesOf(second.traceId)).toContain("deliver invitation");
  await poll(() => mail.mails.length).toBe(1);

  const third = newTrace();
  await third.client.getWallet({ walletId });
  await third.client.getWallet({ walletId: randomBytes(4).toString("hex") }).catch(() => {});
  await third.client.updateUser({ userId: randomUUID() }).catch(() => {});
  await poll(() => namesOf(third.traceId)).toContain("POST submit/update_user");
  expect(namesOf(third.traceId)).toEqual(
    expect.arrayContaining(["answer", "POST query/get_wallet"]),
  );
  const refused = spansOf(third.traceId).find(({ name }) => name === "POST submit/update_user");
  expect(attributesOf(refused as ReceivedSpan)).toMatchObject({
    "http.response.status_code": 404,
    "error.type": "NOT_FOUND",
  });
}, 60_000);

test("a line of the log has the ids of its trace", async () => {
  const { traceId, client } = newTrace();
  await client.whoami();
  const lines = () =>
    service
      .stdout()
      .split("\n")
      .filter((line) => line.includes(traceId));
  await poll(() => lines().length).toBeGreaterThan(0);
  expect(JSON.parse(lines()[0] ?? "")).toMatchObject({ traceId, msg: "request", status: 200 });
});

test("what a client does not want traced is not, and a malformed header begins a trace as none does", async () => {
  const unwanted = newTrace({ flags: "00" });
  await unwanted.client.whoami();
  const malformed = `00-${"0".repeat(32)}-00f067aa0ba902b7-01`;
  const before = collector.spans.length;
  const response = await fetch(`${service.url}/public/v1/query/whoami`, {
    method: "POST",
    headers: { traceparent: malformed },
    body: "{}",
  });
  expect(response.status).toBe(400);
  await fetch(`${service.url}/`);
  await poll(() => collector.spans.slice(before).map(({ name }) => name)).toContain(
    "POST query/whoami",
  );
  expect(spansOf(unwanted.traceId)).toEqual([]);
  expect(collector.spans.every(({ traceId }) => /^(?!0{32})[\da-f]{32}$/.test(traceId))).toBe(true);
  expect(collector.spans.filter(({ name }) => /site|readyz/.test(name))).toEqual([]);
});

test("the numbers of /metrics come to the collector too", async () => {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  // Those that have a number.
  const shown = [...text.matchAll(/^# TYPE (\w+) \w+\n(?=\w)/gm)].map(([, name]) => name);
  const ofNow = () => collector.metrics.at(-1)?.map(({ name }) => name) ?? [];
  expect(shown).toContain("process_resident_memory_bytes");
  await poll(() => shown.filter((name) => !ofNow().includes(String(name)))).toEqual([]);
  const activities = collector.metrics.at(-1)?.find(({ name }) => name.includes("activities"));
  expect(activities?.sum?.dataPoints.map(attributesOf)).toContainEqual({
    type: expect.stringMatching(/^ACTIVITY_TYPE_CREATE_WALLET/),
    status: "ACTIVITY_STATUS_COMPLETED",
  });
});

test("nothing leaves the service but what is on the list", () => {
  expect(collector.spans.length).toBeGreaterThan(50);
  for (const span of collector.spans) {
    expect(span.name).toMatch(/^[A-Za-z0-9 _/-]{1,80}$/);
    expect(span.events ?? []).toEqual([]);
    expect(span.status.message ?? "").toBe("");
    for (const [key, value] of Object.entries(attributesOf(span))) {
      expect([key, String(value)]).toEqual([key, expect.stringMatching(allowed[key] ?? /^$/)]);
    }
  }
  expect([...new Set(collector.resource.map(({ key }) => key))].toSorted()).toEqual([
    "service.instance.id",
    "service.name",
    "service.version",
  ]);
  const all = JSON.stringify([collector.spans, collector.metrics, collector.resource]);
  for (const secret of [...Object.values(secrets), root.apiPublicKey, receiver.url, token]) {
    expect(all.includes(secret)).toBe(false);
  }
  expect(collector.headers[0]).toMatchObject({ authorization: `Bearer ${token}` });
  expect(service.stdout() + service.stderr()).not.toContain(token);
});

async function countOf(outcome: string): Promise<number> {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  const found = new RegExp(`^keyhearth_trace_spans_total\\{outcome="${outcome}"\\} (\\d+)$`, "m");
  return Number(found.exec(text)?.[1]);
}

test("a collector that refuses, hangs or is gone costs spans, and no request waits for it", async () => {
  expect(await countOf("sent")).toBeGreaterThan(50);
  collector.state.answer = (response) => void response.writeHead(400).end("no: private text");
  await newTrace().client.whoami();
  await expect.poll(() => countOf("failed"), { timeout: 20_000 }).toBeGreaterThan(0);
  expect(service.stdout()).toContain("the collector answered 400");
  expect(service.stdout()).not.toContain("private text");

  // It takes what it is sent, and never answers.
  collector.state.answer = () => {};
  await newTrace().client.whoami();
  const { requests } = collector.state;
  await poll(() => collector.state.requests).toBeGreaterThan(requests - 1);
  const startedAt = performance.now();
  await newTrace().client.whoami();
  expect(performance.now() - startedAt).toBeLessThan(2000);

  await collector.close();
  const before = await countOf("failed");
  const { client } = newTrace();
  await client.whoami();
  await expect.poll(() => countOf("failed"), { timeout: 30_000 }).toBeGreaterThan(before);
  await client.whoami();

  const stoppedAt = performance.now();
  expect(await service.stop()).toBe(0);
  expect(performance.now() - stoppedAt).toBeLessThan(8000);
}, 90_000);
