import { expect, test } from "vitest";
import type { RecordOf } from "./define.ts";
import { frozenBytes, frozenKeyring } from "./frozen.testing.ts";
import { upcast } from "./kind.ts";
import { verifyRecord } from "./notarize.ts";
import type { User } from "./organization.ts";
import {
  addEntries,
  addKeyEpoch,
  expiresAtMs,
  isEpochOf,
  isLive,
  MAX_SESSION_ENTRIES,
  moveToNewEpoch,
  moveToNewEpochWithTokens,
  type SessionEntry,
  type Sessions,
  sessions,
  startSessionEpoch,
  tokensEndedAtMs,
} from "./sessions.ts";

const sessionsBody: Sessions = {
  userId: "6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e",
  entries: [
    {
      apiKeyId: "9e405f6b-ad87-4db1-9c81-304d5e6f7081",
      apiKeyName: "phone",
      credential: {
        publicKey: "02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5",
        type: "CREDENTIAL_TYPE_API_KEY_SECP256K1",
      },
      sessionEpoch: 2,
      expirationSeconds: 900,
      createdAtMs: 1767225600000,
    },
  ],
};

const sessionsV1 =
  "S0hSMQAAAAEAAACbeyJ0eXBlIjoic2Vzc2lvbnMiLCJzY2hlbWEiOjEsIm9yZ2FuaXphdGlvbklkIjoiNWY3YzBjNmEtMWYyYS00ZjBlLTlkMmMtOGI4ZjBhNGYxYzExIiwiaWQiOiI2YjFmMmMzZC03YTU0LTRhOGUtOGY1ZS0wZDFhMmIzYzRkNWUiLCJ2ZXJzaW9uIjozLCJrZXlFcG9jaCI6MX0AAAFWeyJ1c2VySWQiOiI2YjFmMmMzZC03YTU0LTRhOGUtOGY1ZS0wZDFhMmIzYzRkNWUiLCJlbnRyaWVzIjpbeyJhcGlLZXlJZCI6IjllNDA1ZjZiLWFkODctNGRiMS05YzgxLTMwNGQ1ZTZmNzA4MSIsImFwaUtleU5hbWUiOiJwaG9uZSIsImNyZWRlbnRpYWwiOnsicHVibGljS2V5IjoiMDJjNjA0N2Y5NDQxZWQ3ZDZkMzA0NTQwNmU5NWMwN2NkODVjNzc4ZTRiOGNlZjNjYTdhYmFjMDliOTVjNzA5ZWU1IiwidHlwZSI6IkNSRURFTlRJQUxfVFlQRV9BUElfS0VZX1NFQ1AyNTZLMSJ9LCJzZXNzaW9uRXBvY2giOjIsImV4cGlyYXRpb25TZWNvbmRzIjo5MDAsImNyZWF0ZWRBdE1zIjoxNzY3MjI1NjAwMDAwfV19vHANF2YVOR2NagosSYRJUwRu98WpGA1cnOAPu7F60Uw=";

test("a sessions record of schema 1 is read as it was written", () => {
  const record = verifyRecord(frozenKeyring, frozenBytes(sessionsV1));
  expect(record.header).toEqual({
    type: "sessions",
    schema: 1,
    organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
    id: "6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e",
    version: 3,
    keyEpoch: 1,
  });
  expect(upcast(sessions, record)).toEqual(sessionsBody);
});

const [entry] = sessionsBody.entries as [SessionEntry];
const nowMs = entry.createdAtMs;

function entriesNamed(...names: string[]): SessionEntry[] {
  return names.map((apiKeyName) => ({ ...entry, apiKeyName }));
}

test("an entry expires after its lifetime", () => {
  expect(expiresAtMs(entry)).toBe(nowMs + 900_000);
});

test("an entry from the future does not count: its time was taken back", () => {
  expect(isLive(entry, entry.createdAtMs)).toBe(true);
  expect(isLive(entry, entry.createdAtMs - 300_000)).toBe(true);
  expect(isLive(entry, entry.createdAtMs - 300_001)).toBe(false);
  expect(isLive(entry, expiresAtMs(entry))).toBe(false);
});

const user = { sessionEpoch: 2, keyEpochs: [] };

test("expired entries and those of an old epoch are dropped before the oldest", () => {
  const current: Sessions = {
    userId: sessionsBody.userId,
    entries: [
      { ...entry, apiKeyName: "expired", createdAtMs: nowMs - 900_000 },
      { ...entry, apiKeyName: "ended", sessionEpoch: 1 },
      ...entriesNamed("a", "b"),
    ],
  };
  const next = addEntries(current, entriesNamed("c"), { user, nowMs });
  expect(next).toEqual({ userId: current.userId, entries: entriesNamed("a", "b", "c") });
  expect(current.entries).toHaveLength(4);
});

test("a record never holds more than ten entries, and keeps the newest", () => {
  const names = Array.from({ length: 25 }, (_, i) => `key ${i}`);
  const empty = { userId: sessionsBody.userId, entries: [] };
  const at = { user, nowMs };
  const full = addEntries(empty, entriesNamed(...names.slice(0, 12)), at);
  expect(full.entries).toEqual(entriesNamed(...names.slice(2, 12)));
  const next = addEntries(full, entriesNamed(...names.slice(12)), at);
  expect(next.entries).toEqual(entriesNamed(...names.slice(-MAX_SESSION_ENTRIES)));
});

test("an epoch begins when it was asked for, if that clock is ahead, and is not predictable", () => {
  const keyEpochs = [{ epoch: 5, untilMs: nowMs + 1 }];
  const user = { sessionEpoch: 2, sessionEpochStartedAtMs: 0, keyEpochs } as User;
  const random = (length: number) => new Uint8Array(length).fill(0xff);
  startSessionEpoch(user, { random, nowMs, requestedAtMs: nowMs - 1 });
  expect(user).toEqual({
    sessionEpoch: 2 ** 53 - 1,
    sessionEpochStartedAtMs: nowMs,
    keyEpochs: [],
  });
  startSessionEpoch(user, { random, nowMs, requestedAtMs: nowMs + 1 });
  expect(user.sessionEpochStartedAtMs).toBe(nowMs + 1);
});

test("tokens of the second in which a credential is deleted count, unless a log-out has ended them", () => {
  const second = 1_800_000_000_000;
  const random = (length: number) => new Uint8Array(length).fill(7);
  const at = (ms: number, aheadMs = 0) => ({
    random,
    nowMs: second + ms,
    requestedAtMs: second + ms + aheadMs,
  });
  const newUser = () => {
    return { sessionEpoch: 2, sessionEpochStartedAtMs: 0, keyEpochs: [] } as unknown as User;
  };
  const deleted = newUser();
  moveToNewEpochWithTokens(deleted, [], at(700, 20_000));
  expect(tokensEndedAtMs(deleted)).toBe(second - 1);
  expect(deleted.sessionEpochStartedAtMs).toBe(second + 20_700);
  startSessionEpoch(deleted, at(800));
  expect(tokensEndedAtMs(deleted)).toBe(second + 20_700);

  const loggedOut = newUser();
  startSessionEpoch(loggedOut, at(300));
  expect(tokensEndedAtMs(loggedOut)).toBe(second + 300);
  moveToNewEpochWithTokens(loggedOut, [], at(700));
  expect(tokensEndedAtMs(loggedOut)).toBe(second + 300);
  moveToNewEpochWithTokens(loggedOut, [], at(1700));
  expect(tokensEndedAtMs(loggedOut)).toBe(second + 999);
  moveToNewEpoch(loggedOut, [], at(1800));
  expect(tokensEndedAtMs(loggedOut)).toBe(second + 1800);
});

test("an expiring key has an epoch of its own, which ends with its time and with all others", () => {
  const person = { sessionEpoch: 2, sessionEpochStartedAtMs: 0, keyEpochs: [] } as unknown as User;
  let next = 0;
  const random = (length: number) => new Uint8Array(length).fill(++next);
  const add = (atMs: number) => addKeyEpoch(person, { random, nowMs: atMs, untilMs: atMs + 1000 });
  const first = add(nowMs);
  const second = add(nowMs + 500);
  const ofEpoch = (sessionEpoch: number) => isEpochOf(person, { sessionEpoch });
  expect([first, second, 2, 3].map(ofEpoch)).toEqual([true, true, true, false]);
  const third = add(nowMs + 1000);
  expect([first, second, third].map(ofEpoch)).toEqual([false, true, true]);
  for (let i = 0; i < 20; i++) add(nowMs + 1000);
  expect(person.keyEpochs).toHaveLength(MAX_SESSION_ENTRIES);
  const kept = [
    { ...entry, sessionEpoch: third },
    { ...entry, sessionEpoch: 2 },
  ];
  const last = add(nowMs + 1000);
  const moved = moveToNewEpoch(person, [...kept, { ...entry, sessionEpoch: last }], {
    random,
    nowMs,
    requestedAtMs: nowMs,
  });
  const { sessionEpoch } = person;
  expect(moved).toEqual([
    { ...entry, sessionEpoch },
    { ...entry, sessionEpoch },
  ]);
  expect([last, 2].map(ofEpoch)).toEqual([false, false]);
});

test("a login asks for the sessions of its user, and of any other who has the key", () => {
  const answers = sessions.answers?.["sessions-for-login"];
  const record = {
    header: { id: sessionsBody.userId } as RecordOf<"sessions", Sessions>["header"],
    body: sessionsBody,
    digest: "",
  };
  const { publicKey } = entry.credential;
  const { userId } = sessionsBody;
  expect(answers?.(record, { userId, publicKey: "another" })).toBe(true);
  expect(answers?.(record, { userId: "another", publicKey })).toBe(true);
  expect(answers?.(record, { userId: "another", publicKey: "another" })).toBe(false);
});
