import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import {
  type Answer,
  createFrameReader,
  decodeFrame,
  type Envelope,
  encodeFrame,
  type Request,
} from "@keyhearth/engine/core/protocol";
import { readRecord, recordDigest } from "@keyhearth/engine/records/record";
import { startSigner } from "../tests/start/process.ts";
import type { Line } from "./report.ts";
import { newApiKey, type Stamp, signBody, stamperOf } from "./requests.ts";
import { processorSeconds } from "./resources.ts";

/** Calls that wait for answers, and the organizations that they are of. */
const UNDER_WAY = 128;
const ORGANIZATIONS = 32;

const COUNTS = [1, 2, 4];

/** Each worker compiles its own code. */
const WARM_UP_SECONDS = 6;

type Owner = { organizationId: string; stamp: Stamp; keyId: string; records: Uint8Array[] };

/**
 * Signatures of the signer alone, at its socket, with one and with several workers. The host is this process, which stamps
 * the requests before it measures.
 */
export async function measureSignerWorkers(seconds: number, progress: (text: string) => void) {
  const measured: Measured[] = [];
  for (const workers of COUNTS) {
    progress(`signer with ${workers} workers`);
    measured.push(await rateWith(workers, seconds));
  }
  const best = Math.max(...measured.map(({ perSecond }) => perSecond));
  const lines: Line[] = measured.map(({ workers, perSecond, processorMs }) => ({
    what: `signer alone, KEYHEARTH_SIGNER_WORKERS=${workers}`,
    result: `${Math.round(perSecond).toLocaleString("en")}/s, ${(perSecond / best).toFixed(2)} of the best, ${processorMs.toFixed(2)} ms of processors each`,
    target: "",
    // Which is best depends on the cores that the host leaves.
    isMet: null,
  }));
  return { lines, measured };
}

type Measured = Record<"workers" | "perSecond" | "processorMs", number>;

async function rateWith(workers: number, seconds: number): Promise<Measured> {
  const directory = mkdtempSync(join(tmpdir(), "keyhearth-bench-signer-"));
  const environment = { KEYHEARTH_SIGNER_WORKERS: String(workers) };
  const signer = await startSigner(directory, [], environment);
  try {
    const host = await connectTo(signer.socket);
    const owners = await Promise.all(Array.from({ length: ORGANIZATIONS }, () => newOwner(host)));
    await signFor(host, owners, WARM_UP_SECONDS);
    const before = processorSeconds(signer.child.pid) ?? 0;
    const count = await signFor(host, owners, seconds);
    const processorMs = (1000 * ((processorSeconds(signer.child.pid) ?? 0) - before)) / count;
    host.socket.destroy();
    return { workers, perSecond: count / seconds, processorMs };
  } finally {
    await signer.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

type Host = {
  socket: Socket;
  ask(request: Request, organizationId: string): Promise<Answer>;
};

async function connectTo(path: string): Promise<Host> {
  const socket = connect(path);
  await once(socket, "connect");
  const waiting = new Map<number, (answer: Answer) => void>();
  const read = createFrameReader((frame) => {
    for (const { id, message } of decodeFrame<Answer>(frame)) {
      if (message.kind !== "begun") waiting.get(id)?.(message);
    }
  });
  socket.on("data", (chunk) => void read(chunk));
  let lastId = 0;
  let batch: Envelope<Request>[] = [];
  function flush() {
    socket.write(encodeFrame(batch));
    batch = [];
  }
  return {
    socket,
    ask: (message, organizationId) =>
      new Promise((resolve) => {
        lastId += 1;
        waiting.set(lastId, resolve);
        if (batch.length === 0) setImmediate(flush);
        batch.push({ id: lastId, organizationId, familyId: organizationId, message });
      }),
  };
}

/** An organization with a private key, whose changes were confirmed. */
async function newOwner({ ask }: Host): Promise<Owner> {
  const key = newApiKey();
  const stamp = stamperOf(key.privateKey);
  const propose = async (endpoint: string, body: string, records: Uint8Array[]) => {
    const answer = await ask(
      submission({ endpoint, body, stamp, records, attachments: records }),
      "",
    );
    if (answer.kind !== "proposal") throw new Error(`no proposal: ${JSON.stringify(answer)}`);
    await ask({ call: "confirm", ticket: String(answer.ticket) }, answer.organizationId);
    return answer;
  };
  const nobody = "00000000-0000-4000-8000-000000000000";
  const apiKey = { apiKeyName: "key", publicKey: key.publicKey, curveType: "API_KEY_CURVE_P256" };
  const founded = await propose(
    "create_organization",
    bodyOf(nobody, "ACTIVITY_TYPE_CREATE_ORGANIZATION_V2", {
      organizationName: "Bench",
      rootApiKey: apiKey,
    }),
    [],
  );
  const { organizationId } = founded;
  const made = await propose(
    "create_private_keys",
    bodyOf(organizationId, "ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2", {
      privateKeys: [
        {
          privateKeyName: "key",
          curve: "CURVE_SECP256K1",
          privateKeyTags: [],
          addressFormats: ["ADDRESS_FORMAT_ETHEREUM"],
        },
      ],
    }),
    [writtenBy(founded.attachments, "organization")],
  );
  const record = writtenBy(made.attachments, "private-key");
  const documents = made.attachments.filter((each) => typeOf(each) === "organization");
  const document = documents[0] ?? writtenBy(founded.attachments, "organization");
  const keyId = readRecord(record).header.id;
  return { organizationId, stamp, keyId, records: [document, record] };
}

function submission({
  endpoint,
  body,
  stamp,
  records,
  attachments,
}: {
  endpoint: string;
  body: string;
  stamp: Stamp;
  records: Uint8Array[];
  attachments: Uint8Array[];
}): Request {
  return {
    call: "submit",
    endpoint,
    body: encodeUtf8(body),
    stamp: { name: "X-Stamp", value: stamp(body) },
    records: records.map(recordDigest),
    attachments,
  };
}

function bodyOf(organizationId: string, type: string, parameters: object): string {
  return JSON.stringify({ type, timestampMs: String(Date.now()), organizationId, parameters });
}

function typeOf(record: Uint8Array): string {
  return readRecord(record).header.type;
}

function writtenBy(attachments: readonly Uint8Array[], type: string): Uint8Array {
  const found = attachments.find((each) => typeOf(each) === type);
  if (!found) throw new Error(`the proposal writes no ${type}`);
  return found;
}

/** Returns how many signatures there were. Requests are made before, because that costs this process as much as the signer. */
async function signFor({ ask }: Host, owners: readonly Owner[], seconds: number): Promise<number> {
  const perSecond = 12_000;
  const calls = Array.from({ length: Math.min(seconds * perSecond, 60_000) }, (_, index) => {
    const owner = owners[index % owners.length];
    if (!owner) throw new Error("nobody signs");
    return { owner, request: signing(owner) };
  });
  let next = 0;
  let answered = 0;
  const endAt = performance.now() + seconds * 1000;
  const run = async () => {
    while (performance.now() < endAt) {
      const call = calls[next % calls.length];
      if (!call) return;
      next += 1;
      const answer = await askWithRecords(ask, call.request, call.owner);
      if (answer.kind !== "proposal") throw new Error(`no signature: ${JSON.stringify(answer)}`);
      answered += 1;
    }
  };
  await Promise.all(Array.from({ length: UNDER_WAY }, run));
  return answered;
}

function signing({ organizationId, keyId, stamp, records }: Owner): Request {
  const body = signBody({ organizationId, signWith: keyId });
  return submission({ endpoint: "sign_raw_payload", body, stamp, records, attachments: [] });
}

/** What the signer does not hold is sent, as the API does it. */
async function askWithRecords(ask: Host["ask"], request: Request, owner: Owner): Promise<Answer> {
  const answer = await ask(request, owner.organizationId);
  if (answer.kind !== "need" || request.call !== "submit") return answer;
  return ask({ ...request, attachments: owner.records }, owner.organizationId);
}
