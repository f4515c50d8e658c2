import { encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { sha256 } from "@keyhearth/crypto/primitives";
import type { SecretBytes } from "@keyhearth/crypto/secret-bytes";
import type { OrganizationDocument } from "../records/organization.ts";
import { deriveCodeHash } from "../vault/ids.ts";
import type { Keyring } from "../vault/keyring.ts";
import { deriveSecret, randomSecret } from "../vault/secrets.ts";

/** The longest lifetime of a code. */
export const MAX_CODE_SECONDS = 600;

/** Wrong attempts that lock a code. */
export const MAX_WRONG = 3;

/**
 * What a contact's wrong attempts are counted in: those at codes of six digits, of which one in a million is right. An
 * attempt at a longer code counts as much less as it is less likely to be right, so that strangers who guess lock nobody
 * whose codes cannot be guessed.
 */
const COUNTED_CHANCE = 1e-6;

/** Counted wrong attempts, at any codes, that lock a contact as long as one of its codes is kept. */
const MAX_WRONG_OF_CONTACT = 15;

/** The same until a right one, or until the contact got no codes for a day. */
const MAX_WRONG_IN_ALL = 45;

/** Fewer are forgotten with the last code of the contact: in a year of codes they do not add up to what locks it for a day. */
const FEWEST_REMEMBERED = 0.0005;

const DAY_MS = 24 * 60 * 60 * 1000;

/** Measured: what an entry takes in all three maps, with three fingerprints. */
const ENTRY_COST = 1280;

export type Outcome =
  | { kind: "right"; atMs: number }
  | { kind: "wrong"; attemptsLeft: number }
  | { kind: "locked" }
  | { kind: "used" }
  /** It has expired. */
  | { kind: "unknown" };

/** `familyId` is the top-level organization: the same one, or its parent. */
type Place = { organizationId: string; familyId: string; otpId: string };

/**
 * The codes that wait to be entered. Only this memory counts attempts, so that no older record gives more of
 * them. It is never displaced: if it is full, there are no new codes. It ends with the signer's run, and so
 * do the codes (decision 14).
 */
export type WaitingCodes = {
  /** Names this run of the signer. */
  readonly run: string;
  /**
   * Remembers a code. Returns its times, or null if there is no room, or if its contact is locked. The same id
   * again is the same code, as old and with the same end: no record of it is younger, nor lasts longer than its attempts.
   */
  open(place: Place, sent: Sent, nowMs: number): CodeTimes | null;
  /** Secret bytes of a code, for each purpose the same as long as the code is kept. Null if it is not. */
  secret(place: Place, purpose: string): SecretBytes | null;
  /** Counts an attempt. The same request again is the same attempt, with the same outcome. */
  attempt(place: Place, request: Attempt): Outcome;
};

/** `chance` is how likely a guess at the code is right. */
type Sent = { contact: string; expiresAtMs: number; chance: number };

export type CodeTimes = { sentAtMs: number; expiresAtMs: number };

type Attempt = { fingerprint: string; nowMs: number; isRight: () => boolean };

type Contact = { key: string; owner: Place; codes: number; wrong: number; wrongInAll: number };

/** A contact without codes at which wrong ones were entered. It takes the place of a code. */
type Remembered = { contact: Contact; untilMs: number };

type Entry = Place & {
  contact: Contact;
  untilMs: number;
  times: CodeTimes;
  secret: SecretBytes;
  chance: number;
  wrong: string[];
  used: { fingerprint: string; atMs: number } | null;
};

/** `max` is in bytes of memory. */
export function createWaitingCodes({
  max,
  random,
}: {
  max: number;
  random: (length: number) => Uint8Array;
}): WaitingCodes {
  // All are kept for the same time, so the oldest come first.
  const entries = new Map<string, Entry>();
  const counts = new Map<string, number>();
  const contacts = new Map<string, Contact>();
  const remembered = new Map<string, Remembered>();
  const places = Math.floor(max / ENTRY_COST);

  function add(owner: Place, number: 1 | -1) {
    for (const key of ownersOf(owner)) {
      const count = (counts.get(key) ?? 0) + number;
      if (count === 0) counts.delete(key);
      else counts.set(key, count);
    }
  }

  /**
   * A family may have as many as are free, so half of all at most, and however many fill the memory, one
   * that has few still gets more. A sub-organization shares the half of its family in the same way. The
   * top-level organization does not: most applications send all codes there.
   */
  function hasRoom(owner: Place): boolean {
    const [family = 0, own] = ownersOf(owner).map((key) => counts.get(key) ?? 0);
    if (family >= places - entries.size - remembered.size) return false;
    return own === undefined || own < places / 2 - family;
  }

  function dropOld(nowMs: number) {
    for (const [name, entry] of entries) {
      if (entry.untilMs > nowMs) break;
      entries.delete(name);
      add(entry, -1);
      entry.contact.codes -= 1;
      if (entry.contact.codes === 0) letGo(entry.contact, entry.untilMs);
    }
    for (const [key, { contact, untilMs }] of remembered) {
      if (untilMs > nowMs) break;
      remembered.delete(key);
      contacts.delete(key);
      add(contact.owner, -1);
    }
  }

  function letGo(contact: Contact, atMs: number) {
    contact.wrong = 0;
    if (contact.wrongInAll < FEWEST_REMEMBERED) {
      contacts.delete(contact.key);
      return;
    }
    remembered.set(contact.key, { contact, untilMs: atMs + DAY_MS });
    add(contact.owner, 1);
  }

  function isLocked({ wrong, wrongInAll }: Contact): boolean {
    return wrong >= MAX_WRONG_OF_CONTACT || wrongInAll >= MAX_WRONG_IN_ALL;
  }

  return {
    run: encodeHex(random(16)),
    open(place, sent, nowMs) {
      dropOld(nowMs);
      const name = nameOf(place);
      const opened = entries.get(name);
      if (opened) return opened.times;
      const key = encodeHex(sha256(encodeUtf8(`${place.organizationId}|${sent.contact}`)));
      const contact = contacts.get(key) ?? newContact(key, place);
      if (isLocked(contact)) return null;
      // A contact that is remembered gives its place to the code.
      if (remembered.delete(key)) add(contact.owner, -1);
      if (!hasRoom(place)) {
        if (contact.codes === 0) letGo(contact, nowMs);
        return null;
      }
      contact.codes += 1;
      contacts.set(key, contact);
      add(place, 1);
      const untilMs = nowMs + MAX_CODE_SECONDS * 1000;
      const times = { sentAtMs: nowMs, expiresAtMs: Math.min(sent.expiresAtMs, untilMs) };
      const rest = {
        contact,
        untilMs,
        times,
        secret: randomSecret(32, { random }),
        chance: sent.chance,
        wrong: [],
        used: null,
      };
      entries.set(name, { ...place, ...rest });
      return times;
    },
    secret(place, purpose) {
      const entry = entries.get(nameOf(place));
      return entry ? deriveSecret(entry.secret, purpose) : null;
    },
    attempt(place, { fingerprint, nowMs, isRight }) {
      dropOld(nowMs);
      const entry = entries.get(nameOf(place));
      if (!entry) return { kind: "unknown" };
      const { used, wrong, contact } = entry;
      if (used) {
        return used.fingerprint === fingerprint
          ? { kind: "right", atMs: used.atMs }
          : { kind: "used" };
      }
      const isRepeated = wrong.includes(fingerprint);
      if (!isRepeated) {
        if (wrong.length >= MAX_WRONG || isLocked(contact)) return { kind: "locked" };
        if (isRight()) {
          contact.wrongInAll = 0;
          entry.used = { fingerprint, atMs: nowMs };
          return { kind: "right", atMs: nowMs };
        }
        wrong.push(fingerprint);
        const counted = entry.chance / COUNTED_CHANCE;
        contact.wrong += counted;
        contact.wrongInAll += counted;
      }
      return { kind: "wrong", attemptsLeft: MAX_WRONG - wrong.length };
    },
  };
}

function newContact(key: string, owner: Place): Contact {
  return { key, owner, codes: 0, wrong: 0, wrongInAll: 0 };
}

function nameOf({ organizationId, otpId }: Place): string {
  return `${organizationId} ${otpId}`;
}

/** What counts the code: the family, and the sub-organization if it is one. */
function ownersOf({ organizationId, familyId }: Place): string[] {
  return organizationId === familyId
    ? [`family ${familyId}`]
    : [`family ${familyId}`, organizationId];
}

/** The codes of one organization, as a request sees them. */
export type Codes = {
  readonly run: string;
  open(otpId: string, sent: Sent): CodeTimes | null;
  secret(otpId: string, purpose: string): SecretBytes | null;
  attempt(otpId: string, isRight: () => boolean): Outcome;
  hash(otp: { otpId: string; expiresAtMs: number }, code: string): Uint8Array;
};

export function codesFor(
  { run, ...waiting }: WaitingCodes,
  {
    keyring,
    document: { organizationId, parentOrganizationId },
    fingerprint,
    nowMs,
  }: { keyring: Keyring; document: OrganizationDocument; fingerprint: string; nowMs: number },
): Codes {
  const familyId = parentOrganizationId ?? organizationId;
  const placeOf = (otpId: string) => ({ organizationId, familyId, otpId });
  return {
    run,
    open: (otpId, sent) => waiting.open(placeOf(otpId), sent, nowMs),
    secret: (otpId, purpose) => waiting.secret(placeOf(otpId), purpose),
    attempt: (otpId, isRight) => waiting.attempt(placeOf(otpId), { fingerprint, nowMs, isRight }),
    hash: (otp, code) => deriveCodeHash(keyring, { ...otp, organizationId }, code),
  };
}
