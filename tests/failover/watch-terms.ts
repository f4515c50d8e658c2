import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";

/**
 * Watches from outside, without any key of the signers, what they write to etcd, each write in its order: who decides in
 * which term, and whether the marks are one chain that only the holder of the newest term makes longer.
 */
export type Watch = {
  /** How many terms and groups of marks were seen so far. */
  terms(): number;
  groups(): number;
  /** What must not be. Empty if one signer decided at a time. */
  forks(): string[];
  /** Up to where the marks go. */
  last(): number;
  /** Up to where each signer follows them, by its name. */
  followed(): ReadonlyMap<string, number>;
  stop(): Promise<void>;
};

type Event = { type?: string; kv: { key: string; value?: string; mod_revision: string } };

/** The members of etcd are asked in turn: each may be killed. */
export function watchTerms(urls: readonly string[]): Watch {
  const ending = new AbortController();
  const forks: string[] = [];
  const holders = new Map<number, string>();
  const followed = new Map<string, number>();
  let revision = 1;
  let term = 0;
  let last: { sequence: number; digest: string; term: number } | null = null;

  function note({ type, kv }: Event) {
    const path = Buffer.from(kv.key, "base64").toString("utf8").split("/").slice(2).join("/");
    if (type === "DELETE") return;
    const value = Buffer.from(kv.value ?? "", "base64");
    const content = contentOf(value);
    if (path === "state/term") beginTerm(Number(content.number), String(content.holder));
    else if (path === "state/beat" && content.term !== term) {
      forks.push(`a sign of life of term ${content.term} in term ${term}`);
    } else if (path.startsWith("log/")) grow(content, digestOf(value));
    else if (path === "state/head" && (last === null || content.digest !== last.digest)) {
      forks.push(`the head names change ${content.sequence}, which is not the last one`);
    } else if (path.startsWith("members/")) {
      followed.set(path.slice("members/".length), Number(content.sequence));
    }
  }

  function beginTerm(number: number, holder: string) {
    if (number !== term + 1) forks.push(`term ${number} follows term ${term}`);
    if (holders.has(number)) forks.push(`term ${number} began twice`);
    holders.set(number, holder);
    term = number;
  }

  function grow(group: Record<string, unknown>, digest: string) {
    const sequence = Number(group.sequence);
    const by = Number(group.term);
    // The first one is made with the first term, and belongs to none.
    if (by !== (sequence === 1 ? 0 : term)) {
      forks.push(`change ${sequence} was made in term ${by}, and term ${term} had begun`);
    }
    if (last && (sequence !== last.sequence + 1 || group.previous !== last.digest)) {
      forks.push(`change ${sequence} does not follow change ${last.sequence}`);
    }
    last = { sequence, digest, term: by };
  }

  async function follow() {
    for (let at = 0; !ending.signal.aborted; at++) {
      try {
        await readFrom(String(urls[at % urls.length]));
      } catch (error) {
        if (error instanceof Compacted) return void forks.push(error.message);
        await sleep(100);
      }
    }
  }

  async function readFrom(url: string) {
    const create_request = {
      key: Buffer.from("keyhearth/").toString("base64"),
      range_end: Buffer.from("keyhearth0").toString("base64"),
      start_revision: String(revision),
      // So that a member which was cut off or stopped is noticed.
      progress_notify: true,
    };
    const silence = new AbortController();
    const signal = AbortSignal.any([ending.signal, silence.signal]);
    const body = JSON.stringify({ create_request });
    const answer = await fetch(`${url}/v3/watch`, { method: "POST", body, signal });
    let rest = "";
    const decoder = new TextDecoder();
    let timer: NodeJS.Timeout | undefined;
    try {
      for await (const chunk of answer.body ?? []) {
        clearTimeout(timer);
        // Signs of life are written four times a second.
        timer = setTimeout(() => silence.abort(), 2000);
        rest += decoder.decode(chunk, { stream: true });
        const lines = rest.split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) if (line !== "") take(JSON.parse(line).result);
      }
    } finally {
      clearTimeout(timer);
      silence.abort();
    }
  }

  function take(result: { events?: Event[]; compact_revision?: string } | undefined) {
    if (result?.compact_revision && result.compact_revision !== "0") {
      throw new Compacted(`etcd has forgotten what came before ${result.compact_revision}`);
    }
    for (const event of inOneTransaction(result?.events ?? [])) {
      note(event);
      revision = Number(event.kv.mod_revision) + 1;
    }
  }

  const following = follow();
  return {
    terms: () => holders.size,
    groups: () => last?.sequence ?? 0,
    last: () => last?.sequence ?? 0,
    forks: () => forks,
    followed: () => followed,
    async stop() {
      ending.abort();
      await following;
    },
  };
}

class Compacted extends Error {}

/** etcd sorts what one transaction wrote by no rule: a term comes before what is written in it, and a group before the head. */
function inOneTransaction(events: readonly Event[]): Event[] {
  const rankOf = ({ kv }: Event) => {
    const path = Buffer.from(kv.key, "base64").toString("utf8");
    if (path.endsWith("/term")) return 0;
    return path.includes("/log/") ? 1 : 2;
  };
  return events.toSorted(
    (a, b) => Number(a.kv.mod_revision) - Number(b.kv.mod_revision) || rankOf(a) - rankOf(b),
  );
}

/** A value is JSON with an HMAC of 32 bytes behind it. */
function contentOf(value: Buffer): Record<string, unknown> {
  return JSON.parse(value.subarray(0, -32).toString("utf8")).content;
}

function digestOf(value: Buffer): string {
  return createHash("sha256").update(value).digest("hex");
}

/** One signer decided at a time, and in the end all follow the same marks. */
export async function expectOneHistory(watch: Watch, names: readonly string[]) {
  expect(watch.forks()).toEqual([]);
  const followed = () => names.map((name) => watch.followed().get(name) ?? 0);
  const last = watch.last();
  await expect
    .poll(() => Math.min(...followed()), { timeout: 30_000 })
    .toBeGreaterThanOrEqual(last);
  expect(watch.forks()).toEqual([]);
}
