import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { randomBytes } from "@keyhearth/crypto/primitives";
import type { CoreEvent } from "@keyhearth/engine/core/core";
import type { Answer, Request } from "@keyhearth/engine/core/protocol";
import { toErrorMessage } from "@keyhearth/engine/errors";
import { heapUsed } from "@keyhearth/engine/memory/measure.testing";
import { installationIdOf } from "@keyhearth/engine/vault/ids";
import { createKeyring, type Keyring } from "@keyhearth/engine/vault/keyring";
import { type Machine, theMachine } from "@keyhearth/signer/clock/clock";
import { createMarks } from "@keyhearth/signer/marks/marks";
import { markOf } from "@keyhearth/signer/marks/marks.testing";
import { createMarksFile, openMarksFile } from "@keyhearth/signer/marks/marks-file";
import { type MarksStore, UNSHARED } from "@keyhearth/signer/marks/marks-store";
import {
  ABSENT,
  connectToEtcd,
  type Entry,
  type Etcd,
  type EtcdAddress,
  parseMarksVariable,
} from "@keyhearth/signer/replication/etcd";
import { createSeals } from "@keyhearth/signer/replication/groups";
import {
  beginHistory,
  type SharedSigner,
  shareMarks,
} from "@keyhearth/signer/replication/shared-signer";
import {
  afterAll as afterKeys,
  holdTerm,
  instantOf,
  type Keys,
  keysOf,
} from "@keyhearth/signer/replication/term";
import { settle } from "@keyhearth/signer/turns/answer-verified";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { drawLine } from "../start/line.ts";
import { etcdMissing, findEtcd, startEtcd, type TestEtcd } from "./etcd.ts";

// Several signers of one installation, with a real etcd between them. Their cores are only what moves marks:
// `failover.test.ts` has whole signers, as processes.

if (findEtcd() === null) console.log(`skipped: ${etcdMissing}`);

const SILENCE_MS = 400;

function addressOf(marks: string): EtcdAddress {
  const address = parseMarksVariable(marks);
  if (!address) throw new Error("no etcd");
  return address;
}

describe.runIf(findEtcd() !== null)("signers that share their marks", () => {
  let etcd: TestEtcd;
  let folder: string;
  let keyring: Keyring;
  let opened: Opened[];
  let trusted: Map<string, string>;

  beforeAll(async () => {
    etcd = await startEtcd();
  });
  afterAll(() => etcd.stop());

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "keyhearth-shared-"));
    keyring = createKeyring(randomBytes);
    opened = [];
    trusted = new Map();
    createMarksFile(join(folder, "a"), keyring);
  });
  afterEach(async () => {
    for (const each of opened) await each.signer.close().catch(() => {});
    rmSync(folder, { recursive: true });
  });

  type Opened = { signer: SharedSigner; events: string[]; move: Move; isConfirmed: Ask };
  type Move = (index: number, version?: number) => Promise<Answer>;
  type Ask = (index: number, version?: number) => Promise<Answer>;

  type How = { marks?: string; machine?: Machine; name?: string; silenceMs?: number };

  function open(
    file: string,
    { marks = etcd.marks, machine = theMachine, name = file, silenceMs = SILENCE_MS }: How = {},
  ): Opened {
    const events: string[] = [];
    const log = ({ event }: CoreEvent) => void events.push(event);
    const local = openMarksFile(join(folder, file), { keyring, log });
    const start = (store: MarksStore) => ({ answer: answerWith(store), close() {} });
    const courier = {
      key: () => trusted.get(file) ?? null,
      adopt: (key: string) => void trusted.set(file, key),
    };
    const options = { etcd: addressOf(marks), courier, name, keyring, local, start, log, machine };
    const signer = shareMarks({ ...options, silenceMs });
    const ask = (call: string) => async (index: number, version?: number) =>
      settle(signer.answer({ call, mark: markOf(index, version) } as unknown as Request)).catch(
        (error: unknown): Answer => ({ kind: "error", error: toErrorMessage(error) }),
      );
    const one = { signer, events, move: ask("move"), isConfirmed: ask("isConfirmed") };
    opened.push(one);
    return one;
  }

  function answerWith(store: MarksStore): (request: Request) => Answer {
    const marks = createMarks(store);
    return (request) => {
      const { call, mark, courierKey } = request as unknown as {
        call: string;
        mark: ReturnType<typeof markOf>;
        courierKey?: string;
      };
      if (call === "block") {
        const until = performance.now() + 0.9 * SILENCE_MS;
        while (performance.now() < until);
        return { kind: "blocked" } as unknown as Answer;
      }
      if (call === "describe") return { kind: "asked", courierKey } as unknown as Answer;
      if (call === "move") marks.move([mark]);
      try {
        return { kind: "answer", confirmed: marks.isConfirmed(mark) } as unknown as Answer;
      } catch (error) {
        return { kind: "refused", why: String(error) } as unknown as Answer;
      }
    };
  }

  const active = (one: Opened) =>
    expect.poll(() => one.signer.isActive(), { interval: 20 }).toBe(true);
  const copy = (from: string, to: string) => cpSync(join(folder, from), join(folder, to));
  const yes = { confirmed: true };

  async function openBoth(): Promise<[Opened, Opened]> {
    copy("a", "b");
    const a = open("a");
    await active(a);
    return [a, open("b")];
  }

  test("one decides, and another takes over with all of its marks", async () => {
    const [a, b] = await openBoth();
    for (let i = 0; i < 50; i++) expect(await a.move(i, 2)).toMatchObject(yes);
    expect(await a.move(1, 3)).toMatchObject(yes);
    expect(await b.move(1, 4)).toMatchObject({
      error: { message: expect.stringContaining("standby") },
    });
    await a.signer.close();
    await active(b);
    for (let i = 0; i < 50; i++) {
      if (i !== 1) expect(await b.isConfirmed(i, 2)).toMatchObject(yes);
    }
    expect(await b.isConfirmed(1, 3)).toMatchObject(yes);
    expect(await b.isConfirmed(1, 2)).toMatchObject({ why: expect.stringContaining("older") });
  });

  test("what waits for etcd is not answered, and what etcd refuses is not there", async () => {
    copy("a", "b");
    const line = await drawLine(String(etcd.urls[0]));
    const a = open("a", { marks: `etcd:${line.url}` });
    await active(a);
    expect(await a.move(1, 2)).toMatchObject(yes);
    line.cut();
    const cutAt = performance.now();
    // Decided while nobody else can have taken over, and never answered.
    const pending = a.move(1, 3);
    const later = pending.then(() => performance.now());
    const b = open("b");
    await active(b);
    expect(performance.now() - cutAt).toBeGreaterThan(SILENCE_MS * 0.8);
    expect(await a.move(2, 2)).toMatchObject({
      error: { message: expect.stringContaining("etcd") },
    });
    expect(await b.isConfirmed(1, 2)).toMatchObject(yes);
    line.mend();
    await expect(a.signer.ended).rejects.toThrow(/another signer has taken over/);
    expect(await pending).toMatchObject({ error: { reason: "SIGNER_UNAVAILABLE" } });
    expect(await later).toBeGreaterThan(cutAt);
    expect(await b.isConfirmed(1, 2)).toMatchObject(yes);
    await a.signer.close();
    await line.close();
    // It comes back without the mark that nobody heard of.
    const again = open("a");
    await b.signer.close();
    await active(again);
    expect(await again.isConfirmed(1, 2)).toMatchObject(yes);
  });

  test("without etcd it answers nothing, and goes on when etcd is back", async () => {
    const line = await drawLine(String(etcd.urls[0]));
    const a = open("a", { marks: `etcd:${line.url}` });
    await active(a);
    expect(await a.move(1, 2)).toMatchObject(yes);
    line.cut();
    await new Promise((resolve) => setTimeout(resolve, SILENCE_MS));
    expect(await a.isConfirmed(1, 2)).toMatchObject({ error: { reason: "SIGNER_UNAVAILABLE" } });
    line.mend();
    await expect.poll(() => a.isConfirmed(1, 2)).toMatchObject(yes);
    expect(await a.move(1, 3)).toMatchObject(yes);
    await a.signer.close();
    await line.close();
  });

  test("a clock that jumps, or one that stands still, never makes a term longer", async () => {
    const skew = { now: 0, running: 0, up: 0 };
    const machine: Machine = {
      now: () => theMachine.now() + skew.now,
      running: () => theMachine.running() + skew.running,
      up: () => theMachine.up() + skew.up,
    };
    const line = await drawLine(String(etcd.urls[0]));
    const a = open("a", { marks: `etcd:${line.url}`, machine });
    await active(a);
    for (const each of ["now", "running", "up"] as const) {
      await expect.poll(() => a.isConfirmed(1, 2)).toHaveProperty("confirmed");
      line.cut();
      // As after a pause that the other clocks did not see.
      skew[each] += 2 * SILENCE_MS;
      expect(await a.isConfirmed(1, 2)).toMatchObject({ error: { reason: "SIGNER_UNAVAILABLE" } });
      line.mend();
    }
    await expect.poll(() => a.isConfirmed(1, 2)).toHaveProperty("confirmed");
    line.cut();
    // Set back, the time of day does not hide what the others say.
    skew.now -= 60_000;
    await new Promise((resolve) => setTimeout(resolve, SILENCE_MS));
    expect(await a.isConfirmed(1, 2)).toMatchObject({ error: { reason: "SIGNER_UNAVAILABLE" } });
    line.mend();
    await a.signer.close();
    await line.close();
  });

  test("a standby learns to whom messages are sealed, and trusts nobody on the word of a host", async () => {
    const [a, b] = await openBoth();
    trusted.set("a", "of a");
    await expect.poll(() => trusted.get("b")).toBe("of a");
    const described = await settle(
      b.signer.answer({ call: "describe", courierKey: "of a stranger" }),
    );
    expect(described).toMatchObject({ kind: "asked", courierKey: undefined });
    expect(a.signer.isActive()).toBe(true);
  });

  test("a signer that has been without etcd for long ends, so that its host looks for another one", async () => {
    const line = await drawLine(String(etcd.urls[0]));
    const a = open("a", { marks: `etcd:${line.url}` });
    await active(a);
    line.cut();
    await expect(a.signer.ended).rejects.toThrow("without etcd nobody knows");
    await a.signer.close();
    await line.close();
  });

  test("a call that took longer than a sign of life lasts is answered once etcd takes the next one", async () => {
    const a = open("a");
    await active(a);
    const held = a.isConfirmed(1, 2);
    const answer = settle(a.signer.answer({ call: "block" } as unknown as Request));
    expect(await answer).toMatchObject({ kind: "blocked" });
    expect(await held).toHaveProperty("confirmed");
  });

  test("memory does not grow with changes that keep coming", async () => {
    const a = open("a");
    await active(a);
    let isOver = false;
    const movers = Array.from({ length: 8 }, async (_, i) => {
      for (let version = 2; !isOver; version++) await a.move(i, version);
    });
    await new Promise((resolve) => setTimeout(resolve, 500));
    const [before, from] = [heapUsed(), a.signer.followed()?.sequence ?? 0];
    await expect
      .poll(() => (a.signer.followed()?.sequence ?? 0) - from, { timeout: 20_000 })
      .toBeGreaterThan(1000);
    const grown = heapUsed() - before;
    isOver = true;
    await Promise.all(movers);
    expect(grown).toBeLessThan(5_000_000);
  });

  test("a term that ends leaves no sign of life, also if one is under way", async () => {
    const id = installationIdOf(keyring);
    const keys = keysOf(id);
    const store = connectToEtcd(addressOf(etcd.marks));
    // A network on which one write is slow and the next one is not.
    let isSlow = true;
    const slow: Etcd = {
      ...store,
      async writeIf(...asked) {
        if (isSlow) {
          isSlow = false;
          await sleep(200);
        }
        return store.writeIf(...asked);
      },
    };
    const value = new Uint8Array([1]);
    const term = await store.writeIf({ [keys.term]: ABSENT }, [{ put: keys.term, value }]);
    const held = holdTerm({
      ...{ etcd: slow, seals: createSeals(keyring, id), keys, machine: theMachine },
      ...{ number: 1, holder: "a", revisions: { term: String(term), head: ABSENT } },
      ...{ followed: UNSHARED, since: instantOf(theMachine), courier: null, log: () => {} },
    });
    await expect.poll(() => isSlow).toBe(false);
    await held.end();
    await sleep(300);
    expect(await store.get(keys.beat)).toBeNull();
    store.close();
  });

  test("a standby whose clocks jump does not take over early", async () => {
    copy("a", "b");
    const silenceMs = 4000;
    const line = await drawLine(String(etcd.urls[0]));
    const a = open("a", { marks: `etcd:${line.url}`, silenceMs });
    await active(a);
    const skew = { now: 0, running: 0, up: 0 };
    const b = open("b", {
      machine: {
        now: () => theMachine.now() + skew.now,
        running: () => theMachine.running() + skew.running,
        up: () => theMachine.up() + skew.up,
      },
      silenceMs,
    });
    for (const each of ["now", "running", "up"] as const) {
      await expect.poll(() => a.isConfirmed(1, 2)).toHaveProperty("confirmed");
      line.cut();
      await new Promise((resolve) => setTimeout(resolve, 300));
      skew[each] += 2 * silenceMs;
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(b.signer.isActive()).toBe(false);
      expect(await a.isConfirmed(1, 2)).toHaveProperty("confirmed");
      skew[each] = 0;
      line.mend();
    }
    await a.signer.close();
    await line.close();
  });

  test("as signers are cut off and come back, one history grows, and no two answer at once", async () => {
    const names = ["a", "b", "c"];
    const lines = await Promise.all(names.map(() => drawLine(String(etcd.urls[0]))));
    copy("a", "b");
    copy("a", "c");
    const start = (i: number) => open(String(names[i]), { marks: `etcd:${lines[i]?.url}` });
    const running = names.map((_, i) => start(i));
    let version = 1;
    let answered = 0;
    let takeovers = 0;
    let last = -1;
    const startedAt = performance.now();
    // Until enough has happened: a busy machine needs longer for it.
    const goesOn = () => {
      const tookMs = performance.now() - startedAt;
      return tookMs < 8000 || (tookMs < 40_000 && (answered <= 20 || takeovers <= 2));
    };
    for (let round = 0; goesOn(); round++) {
      // Mostly the one that decides.
      const victim = last >= 0 && Math.random() < 0.7 ? last : Math.floor(Math.random() * 3);
      const isCut = round % 2 === 1;
      if (isCut) lines[victim]?.cut();
      const untilMs = performance.now() + 150 + Math.random() * 3 * SILENCE_MS;
      while (performance.now() < untilMs) {
        for (const [i, one] of running.entries()) {
          const next = version + 1;
          const answer = await Promise.race([
            one.move(1, next),
            new Promise<null>((resolve) => setTimeout(resolve, 50, null)),
          ]);
          const told = (answer ?? {}) as { confirmed?: boolean; why?: string };
          if (told.confirmed) {
            version = next;
            answered += 1;
            if (last !== i) takeovers += 1;
            last = i;
            // Nobody else answers to what was replaced.
            for (const other of running) {
              const old = await Promise.race([
                other.isConfirmed(1, version - 1),
                new Promise<null>((resolve) => setTimeout(resolve, 50, null)),
              ]);
              expect(old ?? {}).not.toHaveProperty("confirmed", true);
            }
          } else if (told.why) version += 1;
        }
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      if (isCut) lines[victim]?.mend();
      for (const [i, one] of running.entries()) {
        const isOver = await Promise.race([
          one.signer.ended.catch(() => true),
          new Promise<boolean>((resolve) => setTimeout(resolve, 5, false)),
        ]);
        if (!isOver) continue;
        await one.signer.close();
        running[i] = start(i);
      }
    }
    expect(answered).toBeGreaterThan(20);
    expect(takeovers).toBeGreaterThan(2);
    for (const line of lines) line.mend();
    for (const one of running) await one.signer.close();
    for (const line of lines) await line.close();
  });

  describe("refuses", () => {
    const refusal = (one: Opened) => one.signer.ended.then(String, String);

    async function asked(work: (store: Etcd, keys: Keys) => Promise<unknown>) {
      const store = connectToEtcd(addressOf(etcd.marks));
      await work(store, keysOf(installationIdOf(keyring)));
      store.close();
    }

    test("an etcd that was put back", async () => {
      const a = open("a");
      await active(a);
      const kept: Entry[] = [];
      await a.move(1, 2);
      await asked(async (store, { state }) => {
        kept.push(...(await store.list(state, afterKeys(state), 10)));
      });
      await a.move(1, 3);
      await a.signer.close();
      await asked((store) =>
        store.writeIf(
          {},
          kept.map(({ key, value }) => ({ put: key, value })),
        ),
      );
      expect(await refusal(open("a"))).toMatch(/etcd was put back to an older state/);
    });

    test("an older state beside new signs of life", async () => {
      const [a, b] = await openBoth();
      await a.move(1, 2);
      await expect.poll(() => b.signer.followed()?.sequence).toBeGreaterThan(1);
      let old: Entry | null = null;
      await asked(async (store, { head }) => {
        old = await store.get(head);
      });
      await b.signer.close();
      await a.move(1, 3);
      await a.signer.close();
      // The sign of life of whoever decides by then names a group that is not there.
      const again = open("a");
      await active(again);
      await again.move(1, 4);
      await asked(async (store, { head }) => {
        await store.writeIf({}, [
          { put: head, value: (old as Entry | null)?.value ?? new Uint8Array() },
        ]);
      });
      expect(await refusal(open("b"))).toMatch(/etcd was put back to an older state/);
    });

    test("an etcd that has lost the marks, until an operator has them begin again", async () => {
      copy("a", "b");
      const a = open("a");
      await active(a);
      await a.move(1, 2);
      await a.signer.close();
      await asked((store, { prefix }) =>
        store.writeIf({}, [{ remove: prefix, until: afterKeys(prefix) }]),
      );
      const lost = open("a");
      expect(await refusal(lost)).toMatch(/it is another cluster, or it has lost them/);
      await lost.signer.close();
      const local = openMarksFile(join(folder, "a"), { keyring, log: () => {} });
      await beginHistory(addressOf(etcd.marks), { keyring, local });
      local.close();
      const again = open("a");
      await active(again);
      expect(await again.isConfirmed(1, 2)).toMatchObject(yes);
      // A signer that was not copied has other marks.
      expect(await refusal(open("b"))).toMatch(/so one of them is older/);
    });

    test("to begin with marks of which nobody knows whether they are the newest", async () => {
      const local = openMarksFile(join(folder, "a"), { keyring, log: () => {} });
      createMarks(local).move([markOf(1, 2)]);
      local.close();
      expect(await refusal(open("a"))).toMatch(
        /etcd has no marks of this installation, and this signer has/,
      );
    });

    test("to have a history begin with marks that are older than those in etcd", async () => {
      copy("a", "b");
      const a = open("a");
      await active(a);
      const b = open("b");
      await a.move(1, 2);
      await expect.poll(() => b.signer.followed()?.sequence).toBeGreaterThan(1);
      await b.signer.close();
      await a.move(1, 3);
      await a.signer.close();
      const local = openMarksFile(join(folder, "b"), { keyring, log: () => {} });
      await expect(beginHistory(addressOf(etcd.marks), { keyring, local })).rejects.toThrow(
        "does not have the newest",
      );
      local.close();
      await active(open("b"));
    });

    test("to have a history begin while another signer decides", async () => {
      const a = open("a");
      await active(a);
      createMarksFile(join(folder, "b"), keyring);
      const local = openMarksFile(join(folder, "b"), { keyring, log: () => {} });
      await expect(beginHistory(addressOf(etcd.marks), { keyring, local })).rejects.toThrow(
        "stop all signers first",
      );
      local.close();
      expect(await a.move(1, 2)).toMatchObject(yes);
    });

    test("marks that an operator changed, until they are shared", async () => {
      createMarksFile(join(folder, "a"), keyring, { followed: UNSHARED });
      expect(await refusal(open("a"))).toMatch(/an operator has changed the marks or the clock/);
    });

    test("marks that are not those of the others", async () => {
      createMarksFile(join(folder, "b"), keyring);
      const before = open("a");
      await active(before);
      await before.move(1, 2);
      await before.signer.close();
      const other = openMarksFile(join(folder, "b"), { keyring, log: () => {} });
      createMarks(other).move([markOf(7, 2)]);
      other.close();
      expect(await refusal(open("b"))).toMatch(
        /not those with which the signers of this etcd began/,
      );
    });

    test("values that no signer wrote, and values in the place of others", async () => {
      const a = open("a");
      await active(a);
      await a.move(1, 2);
      await a.signer.close();
      const changes: ((store: Etcd, keys: Keys) => Promise<unknown>)[] = [
        (store, { head }) => store.writeIf({}, [{ put: head, value: new Uint8Array(0) }]),
        (store, { head }) => store.writeIf({}, [{ put: head, value: randomBytes(200) }]),
        async (store, { head, term }) => {
          const value = (await store.get(term))?.value ?? new Uint8Array();
          return store.writeIf({}, [{ put: head, value }]);
        },
      ];
      for (const change of changes) {
        await asked(change);
        const refused = open("a");
        expect(await refusal(refused)).toMatch(/was not written there by a signer/);
        await refused.signer.close();
      }
    });

    test("a second signer of the same name, and leaves the first one alone", async () => {
      copy("a", "b");
      const a = open("a");
      await active(a);
      const second = open("b", { name: "a" });
      expect(await refusal(second)).toMatch(/another signer named `a` has started/);
      expect(await a.move(1, 2)).toMatchObject(yes);
    });

    test("to take over after it has heard nobody for an hour", async () => {
      const [a, b] = await openBoth();
      await a.move(1, 2);
      await expect.poll(() => b.signer.followed()?.sequence).toBeGreaterThan(1);
      await b.signer.close();
      const machine = { ...theMachine, now: () => theMachine.now() + 61 * 60 * 1000 };
      await a.signer.close();
      const late = open("b", { machine });
      await expect.poll(() => late.events).toContain("does not take over");
      expect(late.signer.isActive()).toBe(false);
      // The one that decided last may go on after any time.
      await active(open("a", { machine }));
    });
  });
});
