import { Agent, request as plainRequest } from "node:http";
import { Agent as SecureAgent, request as secureRequest } from "node:https";
import { encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { SignerStateError } from "../state/state-error.ts";

/**
 * What the signer needs of etcd 3.4 or later, over its HTTP gateway: no client library for it is kept, and
 * Patroni does the same. All reads are linearizable: a member that is cut off from the others does not answer.
 */
export type Etcd = {
  /** The key and how it was written, or null if it is not there. */
  get(key: string): Promise<Entry | null>;
  /** Keys from `from` up to and without `until`, in order. */
  list(from: string, until: string, limit: number): Promise<Entry[]>;
  /**
   * Does all of it if each key was last written at this revision, or else nothing. The revision of what was written, or
   * null. One that may be done twice is asked of the next endpoint soon if the first says nothing.
   */
  writeIf(
    unchanged: Readonly<Record<string, string>>,
    writes: readonly Write[],
    options?: { mayRepeat?: boolean },
  ): Promise<string | null>;
  /** Forgets what was there before this revision, so that the history does not fill the disk. */
  compact(revision: string): Promise<void>;
  /** Asks each endpoint for this key, and says what is wrong with those that do not answer. */
  look(key: string): Promise<{ endpoint: URL; problem: EtcdError | null }[]>;
  close(): void;
};

export type Entry = { key: string; value: Uint8Array; revision: string };
export type Write =
  | { put: string; value: Uint8Array }
  /** All keys from here up to and without `until`. */
  | { remove: string; until: string };

/** The revision of a key that is not there. */
export const ABSENT = "0";

/** The endpoints of one cluster, as `etcd:http://10.0.0.1:2379,http://10.0.0.2:2379`. */
export type EtcdAddress = {
  endpoints: readonly URL[];
  /** Whom etcd knows, if it asks for a password. */
  login: { name: string; password: string } | null;
};

export const MARKS_VARIABLE = "KEYHEARTH_MARKS";

const SCHEME = "etcd:";
const RANGE = "/v3/kv/range";
const MAX_ENDPOINTS = 9;
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
const TIMEOUT_MS = 1000;
/** After so long another endpoint is asked, if there is one. */
const SOON_MS = 300;

/** Null if the marks are kept on this machine alone. */
export function parseMarksVariable(text: string): EtcdAddress | null {
  const value = text.trim();
  if (value === "" || value === "local") return null;
  const example = "such as etcd:https://10.0.0.1:2379,https://10.0.0.2:2379";
  // It may have a password, so no part of it is shown.
  const refuse = (what: string) =>
    new SignerStateError(
      `${MARKS_VARIABLE} ${what}; it is local or the endpoints of an etcd cluster, ${example}`,
    );
  if (!value.startsWith(SCHEME)) throw refuse("does not begin with etcd:");
  const texts = value.slice(SCHEME.length).split(",");
  if (texts.length > MAX_ENDPOINTS) throw refuse(`has more than ${MAX_ENDPOINTS} endpoints`);
  const endpoints = texts.map((each) => {
    const url = URL.canParse(each.trim()) ? new URL(each.trim()) : null;
    if (!url || !["http:", "https:"].includes(url.protocol)) {
      throw refuse("has an endpoint that is not an http or https URL");
    }
    if (url.pathname !== "/" || url.search || url.hash) {
      throw refuse("has an endpoint with a path, a query or a fragment");
    }
    return url;
  });
  const [first] = endpoints;
  if (endpoints.some(({ protocol }) => protocol !== first?.protocol)) {
    throw refuse("has endpoints by http and by https");
  }
  if (new Set(endpoints.map(({ host }) => host)).size !== endpoints.length) {
    throw refuse("names an endpoint twice");
  }
  const logins = new Set(endpoints.map(({ username, password }) => `${username}:${password}`));
  if (logins.size > 1) throw refuse("has endpoints with different names or passwords");
  const { username = "", password = "" } = first ?? {};
  return { endpoints, login: username === "" ? null : decodeLogin(username, password, refuse) };
}

function decodeLogin(username: string, password: string, refuse: (what: string) => Error) {
  try {
    return { name: decodeURIComponent(username), password: decodeURIComponent(password) };
  } catch {
    throw refuse("has a name or a password that is not percent-encoded");
  }
}

/** etcd could not be asked, or said something else than what it is known to say. What was asked may have been done. */
export class EtcdError extends Error {
  /** Of an answer. */
  readonly status: number | null;

  constructor(message: string, options?: { cause?: unknown; status?: number }) {
    super(message, options);
    this.name = "EtcdError";
    this.status = options?.status ?? null;
  }
}

/** Asks the endpoint that answered last, and the others if it does not. */
export function connectToEtcd({ endpoints, login }: EtcdAddress): Etcd {
  const options = { keepAlive: true, maxSockets: 8 };
  const agents = { plain: new Agent(options), secure: new SecureAgent(options) };
  let current = 0;
  const tokens = new Map<URL, string>();
  /** The cluster of the endpoint that answered first. */
  let first: { endpoint: URL; cluster: string } | null = null;
  /** Endpoints that are members of it, until one of them fails. */
  const members = new Set<URL>();

  /** With members of two clusters, each could have a signer that decides. */
  function checkCluster(endpoint: URL, answer: unknown) {
    const cluster = clusterOf(answer);
    first ??= { endpoint, cluster };
    if (cluster !== first.cluster) throw otherCluster(first, { endpoint, cluster });
    members.add(endpoint);
  }

  async function authenticate(endpoint: URL, timeoutMs: number) {
    if (!login || tokens.has(endpoint)) return;
    const url = new URL("/v3/auth/authenticate", endpoint);
    tokens.set(endpoint, textOf(await send(agents, url, { body: login, timeoutMs }), "token"));
  }

  async function askOf(endpoint: URL, path: string, { body, timeoutMs }: Sent): Promise<unknown> {
    try {
      await authenticate(endpoint, timeoutMs);
      const token = tokens.get(endpoint);
      const answer = await send(agents, new URL(path, endpoint), { body, token, timeoutMs });
      checkCluster(endpoint, answer);
      return answer;
    } catch (error) {
      tokens.delete(endpoint);
      members.delete(endpoint);
      throw error;
    }
  }

  type How = {
    mayRepeat: boolean;
    /** Asked for first where it is not known whose member the endpoint is, so that nothing is written to a stranger. */
    probe?: string | undefined;
  };

  /** A write is asked of one endpoint only: the caller does not know whether it was done, and reads again. */
  async function ask(path: string, body: object, { mayRepeat, probe }: How): Promise<unknown> {
    let failure: unknown;
    const attempts = mayRepeat ? endpoints.length : 1;
    for (let attempt = 0; attempt < attempts; attempt++) {
      const endpoint = endpoints[current % endpoints.length];
      if (!endpoint) break;
      // The last one is given the time that it needs.
      const timeoutMs = attempt < attempts - 1 ? SOON_MS : TIMEOUT_MS;
      try {
        if (probe !== undefined && !members.has(endpoint)) {
          await askOf(endpoint, RANGE, { body: { key: base64(probe) }, timeoutMs });
        }
        return await askOf(endpoint, path, { body, timeoutMs });
      } catch (error) {
        if (!(error instanceof EtcdError)) throw error;
        failure = error;
        // Another request may have gone on already.
        if (endpoints[current % endpoints.length] === endpoint) current += 1;
      }
    }
    throw failure;
  }

  return {
    async get(key) {
      const answer = await ask(RANGE, { key: base64(key) }, { mayRepeat: true });
      return entriesOf(answer)[0] ?? null;
    },
    async list(from, until, limit) {
      const asked = { key: base64(from), range_end: base64(until), limit: String(limit) };
      return entriesOf(await ask(RANGE, asked, { mayRepeat: true }));
    },
    async writeIf(unchanged, writes, { mayRepeat = false } = {}) {
      const compared = Object.keys(unchanged);
      const compare = Object.entries(unchanged).map(([key, revision]) => ({
        key: base64(key),
        target: "MOD",
        result: "EQUAL",
        mod_revision: revision,
      }));
      const success = writes.map((write) =>
        "put" in write
          ? {
              requestPut: {
                key: base64(write.put),
                value: Buffer.from(write.value).toString("base64"),
              },
            }
          : {
              requestDeleteRange: { key: base64(write.remove), range_end: base64(write.until) },
            },
      );
      const answer = objectOf(
        await ask("/v3/kv/txn", { compare, success }, { mayRepeat, probe: compared[0] }),
      );
      return answer.succeeded === true ? textOf(answer.header, "revision") : null;
    },
    async compact(revision) {
      await ask("/v3/kv/compaction", { revision }, { mayRepeat: false }).catch((error: unknown) => {
        // Another signer, or etcd itself, has done it already.
        if (!String(error).includes("has been compacted")) throw error;
      });
    },
    look: (key) =>
      Promise.all(
        endpoints.map(async (endpoint) => {
          try {
            await askOf(endpoint, RANGE, { body: { key: base64(key) }, timeoutMs: TIMEOUT_MS });
            return { endpoint, problem: null };
          } catch (error) {
            if (!(error instanceof EtcdError)) throw error;
            return { endpoint, problem: error };
          }
        }),
      ),
    close() {
      agents.plain.destroy();
      agents.secure.destroy();
    },
  };
}

type Agents = { plain: Agent; secure: SecureAgent };
type Sent = { body: object; token?: string | undefined; timeoutMs: number };

function send(agents: Agents, url: URL, { body, token, timeoutMs }: Sent): Promise<unknown> {
  const bytes = encodeUtf8(JSON.stringify(body));
  const isSecure = url.protocol === "https:";
  return new Promise((resolve, reject) => {
    const fail = (why: string, details: { cause?: unknown; status?: number } = {}) => {
      reject(new EtcdError(`etcd at ${url.host} ${why}`, details));
    };
    const sent = (isSecure ? secureRequest : plainRequest)(
      {
        protocol: url.protocol,
        hostname: url.hostname.replace(/^\[(.*)\]$/, "$1"),
        port: url.port || (isSecure ? 443 : 80),
        path: url.pathname,
        method: "POST",
        agent: isSecure ? agents.secure : agents.plain,
        headers: {
          "content-type": "application/json",
          "content-length": bytes.length,
          ...(token !== undefined && { authorization: token }),
        },
      },
      (answer) => {
        const chunks: Buffer[] = [];
        let size = 0;
        answer.on("data", (chunk: Buffer) => {
          size += chunk.length;
          if (size > MAX_ANSWER_BYTES) return void sent.destroy(new Error("answers too much"));
          chunks.push(chunk);
        });
        answer.on("error", (cause) => fail("broke off its answer", { cause }));
        answer.on("end", () => {
          const text = Buffer.concat(chunks).toString("utf8");
          if (answer.statusCode !== 200) {
            const status = answer.statusCode ?? 0;
            const said = text.slice(0, 200).replaceAll(/\s+/g, " ");
            return fail(`answered ${status}: ${said}`, { status });
          }
          try {
            resolve(JSON.parse(text));
          } catch (cause) {
            fail("did not answer with JSON", { cause, status: 200 });
          }
        });
      },
    );
    const timer = setTimeout(() => sent.destroy(new Error("timed out")), timeoutMs);
    sent.on("close", () => clearTimeout(timer));
    sent.on("error", (cause) => fail(`cannot be asked (${cause.message})`, { cause }));
    sent.end(bytes);
  });
}

function base64(text: string): string {
  return Buffer.from(text, "utf8").toString("base64");
}

function objectOf(value: unknown): Record<string, unknown> {
  if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  throw new EtcdError("etcd answered with something else than an object");
}

function textOf(value: unknown, member: string): string {
  const text = objectOf(value)[member];
  if (typeof text === "string") return text;
  throw new EtcdError(`etcd answered without a text \`${member}\``);
}

function clusterOf(answer: unknown): string {
  return textOf(objectOf(answer).header, "cluster_id");
}

type Member = { endpoint: URL; cluster: string };

function otherCluster(known: Member, other: Member): SignerStateError {
  return new SignerStateError(
    `${other.endpoint.host} is a member of the etcd cluster ${other.cluster}, and ${known.endpoint.host} of ${known.cluster}; name only members of one cluster in ${MARKS_VARIABLE}`,
  );
}

/** etcd leaves out what is empty. */
function entriesOf(answer: unknown): Entry[] {
  const { kvs = [] } = objectOf(answer);
  if (!Array.isArray(kvs)) throw new EtcdError("etcd answered without a list of keys");
  return kvs.map((each: unknown) => ({
    key: Buffer.from(textOf(each, "key"), "base64").toString("utf8"),
    value: new Uint8Array(
      Buffer.from("value" in objectOf(each) ? textOf(each, "value") : "", "base64"),
    ),
    revision: textOf(each, "mod_revision"),
  }));
}
