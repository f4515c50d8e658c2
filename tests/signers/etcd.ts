import { once } from "node:events";
import { chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { get } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { certificate, certificateKey } from "@keyhearth/outbound/certificate.testing";
import { findProgram, type Program, startProgram } from "../postgres/programs.ts";
import { freePort, unprivilegedUser } from "../postgres/start.ts";
import type { Machine } from "../start/network.ts";

export const etcdMissing = "no etcd was found in PATH; run apt-get install etcd-server";

export function findEtcd(): string | null {
  return findProgram("etcd");
}

export type TestEtcd = {
  /** As KEYHEARTH_MARKS has them. */
  marks: string;
  urls: string[];
  members: TestMember[];
  /** Which member leads the others. -1 while none does. */
  leader(): Promise<number>;
  stop(): Promise<void>;
};

export type TestMember = {
  kill(): Promise<void>;
  /** Ends it as its supervisor does. */
  end(): Promise<void>;
  pause(): void;
  resume(): void;
  /** Starts it again with what it has on disk. */
  restart(): void;
};

/**
 * A cluster of etcd, on free ports of this machine or each member on a machine of its own. With TLS, it has the tests'
 * certificate, which is for another name and from no authority.
 */
export async function startEtcd(
  size = 1,
  machines: readonly Machine[] = [],
  { isTls = false } = {},
): Promise<TestEtcd> {
  const program = findEtcd();
  if (program === null) throw new Error(etcdMissing);
  const user = unprivilegedUser();
  const base = user ? "/tmp" : tmpdir();
  const directory = mkdtempSync(join(base, "keyhearth-etcd-"));
  if (user) chownSync(directory, user.uid, user.gid);
  const own = (name: string, text: string) => {
    const path = join(directory, name);
    writeFileSync(path, text, { mode: 0o600 });
    if (user) chownSync(path, user.uid, user.gid);
    return path;
  };
  const tls = isTls
    ? [
        ...["--cert-file", own("certificate", certificate)],
        ...["--key-file", own("key", certificateKey)],
      ]
    : [];
  const freeUrl = async (i: number, protocol = "http") =>
    `${protocol}://${machines[i]?.address ?? "127.0.0.1"}:${await freePort()}`;
  const urls: string[] = [];
  const peerUrls: string[] = [];
  for (let i = 0; i < size; i++) {
    urls.push(await freeUrl(i, isTls ? "https" : "http"));
    peerUrls.push(await freeUrl(i));
  }
  const cluster = peerUrls.map((url, i) => `m${i}=${url}`).join(",");
  const start = (i: number): Program =>
    startProgram(
      program,
      [
        ...["--name", `m${i}`, "--data-dir", join(directory, `m${i}`)],
        ...["--listen-client-urls", String(urls[i]), "--advertise-client-urls", String(urls[i])],
        ...["--listen-peer-urls", String(peerUrls[i])],
        ...["--initial-advertise-peer-urls", String(peerUrls[i])],
        ...["--initial-cluster", cluster, "--initial-cluster-state", "new"],
        ...tls,
        // Nothing on this disk outlives the test.
        ...["--unsafe-no-fsync", "--logger", "zap", "--log-level", "error"],
      ],
      { directory, ...(machines[i] && { machine: machines[i] }) },
    );
  const running = urls.map((_, i) => start(i));
  await Promise.all(urls.map(untilHealthy));
  return {
    marks: `etcd:${urls.join(",")}`,
    urls,
    members: urls.map((_, i) => ({
      kill: async () => running[i]?.kill(),
      end: async () => running[i]?.stop(),
      pause: () => running[i]?.pause(),
      resume: () => running[i]?.resume(),
      restart() {
        running[i] = start(i);
      },
    })),
    async leader() {
      const answers = await Promise.all(urls.map(statusOf));
      return answers.findIndex((answer) => answer && answer.leader === answer.header.member_id);
    },
    async stop() {
      await Promise.all(running.map((each) => each.stop()));
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function untilHealthy(url: string) {
  const giveUpAt = performance.now() + 20_000;
  for (;;) {
    const answer = await healthOf(url).catch(() => "");
    if (answer.includes('"health":"true"')) return;
    if (performance.now() > giveUpAt) throw new Error(`etcd did not start at ${url}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function healthOf(url: string): Promise<string> {
  if (url.startsWith("http:")) return (await fetch(`${url}/health`)).text();
  const options = { rejectUnauthorized: false, agent: false } as const;
  const [answer] = (await once(get(`${url}/health`, options), "response")) as [IncomingMessage];
  return text(answer);
}

type Status = { header: { member_id: string }; leader?: string };

/** Null if it does not answer. */
async function statusOf(url: string): Promise<Status | null> {
  try {
    const signal = AbortSignal.timeout(1000);
    const path = `${url}/v3/maintenance/status`;
    return (await (await fetch(path, { method: "POST", body: "{}", signal })).json()) as Status;
  } catch {
    return null;
  }
}
