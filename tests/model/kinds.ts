import type { Policy, Subject } from "./policies.ts";
import { type Ask, keysOf, requestOf, type State, type User } from "./state.ts";

// What people can ask for: who may, when it is possible, and what is different afterwards.

/** Facts that are in no document, because nothing has to write one for them. */
export type Facts = {
  grants: Grant[];
  makings: Making[];
  codes: Code[];
  /** Wrong codes that were typed for a contact in a family, as long as one of its codes is kept. */
  guesses: Guesses[];
  tokens: Token[];
};

/** Until the contact's codes are forgotten, and in all, until a right one or until a day after that. */
export type Guesses = Counted & { wrong: number; inAll: number; untilMs: number };

/** A contact of an organization and its sub-organizations. */
export type Counted = { familyId: string; contact: string };

/** A code that was sent to a contact. The signer forgets all of them when it starts again. */
type Code = Counted & {
  otpId: string;
  code: string;
  sentMs: number;
  untilMs: number;
  /** The commits with which it counts, by number, and the requests that sent it at once. */
  decidedBy: (number | string)[];
  /** Requests that had another code. */
  wrong: Set<string>;
  /** The only request that may have used it. */
  usedBy: string | null;
};

/** Proof that somebody who has the key read a code at the contact. */
type Token = Counted & {
  text: string;
  key: string;
  request: string;
  /** When its code was sent: a log-out ends what was sent before. */
  sentMs: number;
  untilMs: number;
};

/** An expiring credential: it is the user's in some eras, or wherever a state has registered it. */
export type Grant = {
  number: number;
  userId: string;
  key: string;
  type: string;
  /** The id, if somebody learned it. */
  apiKeyId: string | null;
  eras: Set<number>;
  untilMs: number;
  /** The request that gave it, if votes did not decide that. */
  request: string | null;
};

/** An account that a request derived, and the version of the document by which it was decided. */
type Making = {
  accountId: string;
  walletId: string;
  path: string;
  version: number;
  fingerprint: string;
  request: string;
  /** Set if votes decided it: then it exists only with a document in which they did. */
  votedAs: number | null;
  /** It came with its wallet, which a document lists. */
  isOfWallet: boolean;
};

/** Then the same bytes of two users are two requests. */
export function dependsOnSender({ isOwn, readsSender }: Kind): boolean {
  return isOwn !== undefined || readsSender === true;
}

/** `key` is the one that stamped the request first. */
export type Case = Facts & {
  state: State;
  ask: Ask;
  userId: string;
  key: string;
  nowMs: number;
  /** Did votes decide it? */
  isVoted: boolean;
};

/** What the core gave names to, and new numbers for eras and grants. */
export type Made = {
  /** What the messages say that leave with it. */
  mail: Mail | null;
  result: Record<string, unknown>;
  newNumber(): number;
};

export type Kind = {
  type: string;
  subject: Subject;
  isRootOnly?(given: Case): boolean;
  /** People may do it to themselves without permission, so it matters who asks. */
  isOwn?(ask: Ask, userId: string): boolean;
  /** It matters who asks, for another reason. */
  readsSender?: true;
  /** It is about something that no document lists, so a host that hides it makes the request fail. */
  isUnlisted?: true;
  /** Nothing is different if it runs twice. */
  isRepeatable?: true;
  /** It leaves the document as it is, if it runs at once. */
  keepsDocument?(ask: Ask): boolean;
  /** For somebody who is no user yet: whether the request shows that they may become one. */
  newcomer?(given: Case): string | null;
  /** Whether the code is right. Somebody who may try a wrong one has tried it. */
  isRight?(given: Case): boolean;
  /** Nobody may see the result before the commit is confirmed. */
  isSecret?: true | "if voted";
  /** Whether it can be done now, by whoever may. */
  isPossible(given: Case): boolean;
  /** Something in the way that only a host which brings all records shows. */
  isInTheWay?(given: Case): boolean;
  apply?(given: Case, made: Made): void;
};

export type Mail = { code?: string; userId?: string; token?: string };

const MINUTE = 60_000;
/** How much the clock of a client may be ahead. */
export const MAX_AHEAD_MS = 5 * MINUTE;

const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;
const CODE_MS = 10 * MINUTE;

/** Expiring credentials of one user that the document lists. */
const MAX_REGISTERED = 10;

/** Wrong codes that lock a code, and a contact. */
const MAX_WRONG = 3;
const MAX_WRONG_OF_CONTACT = 15;
const MAX_WRONG_IN_ALL = 45;

const about = (resource: string, action: string): Subject => ({ resource, action });
const text = (value: unknown) => (typeof value === "string" ? value : "");
const firstOf = (value: unknown) => text(Array.isArray(value) ? value[0] : undefined);
const isNew = (taken: Iterable<string>, name = "") => ![...taken].includes(name);

function changeUser({ state }: Case, userId: string, change: Partial<User>) {
  const user = state.users.get(userId);
  if (user) state.users.set(userId, { ...user, ...change });
}

/** Another era of the user. Grants that are carried over are theirs in it too. */
function beginEra(given: Case, userId: string, made: Made, isCarried: (grant: Grant) => boolean) {
  const { state, ask, nowMs, grants } = given;
  const user = state.users.get(userId);
  if (!user) return;
  const era = made.newNumber();
  for (const grant of grants) {
    if (isOf(grant, userId, state) && isCarried(grant)) grant.eras.add(era);
  }
  const eraBeganMs = Math.max(user.eraBeganMs, nowMs, ask.timestampMs);
  state.users.set(userId, { ...user, era, eraBeganMs, registered: new Set() });
}

/** Whether the expiring credential is one of the user's in this state. */
export function isOf(grant: Grant, userId: string, { users, waited }: State): boolean {
  const user = users.get(userId);
  if (!user || grant.userId !== userId || waited.has(grant.request ?? "")) return false;
  return grant.eras.has(user.era) || user.registered.has(grant.number);
}

/** Adds an expiring credential of the user. */
function give(
  given: Case,
  { userId, type, isRegistered }: { userId: string; type: string; isRegistered: boolean },
  made: Made,
) {
  const { state, ask, grants, nowMs, isVoted } = given;
  const user = state.users.get(userId);
  if (!user) return;
  const number = made.newNumber();
  grants.push({
    number,
    userId,
    type,
    key: ask.args.key ?? "",
    apiKeyId: text(made.result.apiKeyId) || firstOf(made.result.apiKeyIds) || null,
    eras: new Set(isRegistered ? [] : [user.era]),
    untilMs: nowMs + (ask.args.seconds ?? 900) * 1000,
    request: isVoted ? null : requestOf(ask.fingerprint, given.userId),
  });
  if (!isRegistered) return;
  // Those that have expired leave the document, and so do all but the last ten.
  const isLive = (each: number) =>
    grants.some((grant) => grant.number === each && grant.untilMs > nowMs);
  const registered = [...user.registered].filter(isLive).concat(number).slice(-MAX_REGISTERED);
  changeUser(given, userId, { registered: new Set(registered) });
}

function logIn(given: Case, userId: string, type: string, made: Made) {
  const { endsOthers } = given.ask.args;
  if (endsOthers) beginEra(given, userId, made, (grant) => grant.type !== type);
  give(given, { userId, type, isRegistered: given.isVoted && !endsOthers }, made);
}

/** Whether there is such an account, made by anybody whom a state still knows. */
export function isAccount(
  { state, makings }: Pick<Case, "state" | "makings">,
  accountId = "",
): boolean {
  return makings.some((making) => making.accountId === accountId && isUsable(state, making));
}

/** The address of a deleted account is that of an account that was created again at its path. */
function isAddress({ state, makings }: Case, accountId = ""): boolean {
  const named = makings.find((making) => making.accountId === accountId);
  return makings.some(
    (making) =>
      making.walletId === named?.walletId && making.path === named.path && isUsable(state, making),
  );
}

function isUsable(
  { wallets, voted, waited }: State,
  { walletId, path, version, votedAs, isOfWallet, request }: Making,
): boolean {
  const wallet = wallets.get(walletId);
  if (votedAs !== null && !voted.has(votedAs)) return false;
  if (votedAs === null && !isOfWallet && waited.has(request)) return false;
  return wallet !== undefined && version >= (wallet.deleted.get(path)?.version ?? 0);
}

/** The key was nobody else's when it stamped the request. */
function hadKeySince({ state, ask, key }: Case): boolean {
  return ask.timestampMs > (state.ended.get(key) ?? 0);
}

/** Remembers what users had before and have no longer, for a day and an hour. */
export function noteEnded(before: State, next: State, nowMs: number) {
  const lost = [...before.users].flatMap(([userId, user]) => {
    const kept = namesOf(next.users.get(userId));
    return namesOf(user).filter((name) => !kept.includes(name));
  });
  if (lost.length === 0) return;
  for (const [name, atMs] of next.ended) {
    if (nowMs - atMs >= DAY + HOUR) next.ended.delete(name);
  }
  for (const name of lost) next.ended.set(name, nowMs);
}

function namesOf(user: User | undefined): string[] {
  if (!user) return [];
  return [...(user.email === null ? [] : [user.email]), ...user.keys.values()];
}

function startedSince({ state, ask }: Case, userId: string): boolean {
  const user = state.users.get(userId);
  return user !== undefined && ask.timestampMs > user.eraBeganMs;
}

export const kinds: Record<string, Kind> = {
  create_user_tag: {
    type: "CREATE_USER_TAG",
    subject: about("USER", "CREATE"),
    isPossible: ({ state, ask }) =>
      isNew(state.tags.values(), ask.args.name) && state.tags.size < (state.isSub ? 10 : 100),
    apply: ({ state, ask }, { result }) =>
      state.tags.set(text(result.userTagId), ask.args.name ?? ""),
  },
  delete_user_tags: {
    type: "DELETE_USER_TAGS",
    subject: about("USER", "DELETE"),
    isPossible: ({ state, ask }) => state.tags.has(ask.args.id ?? ""),
    apply: ({ state, ask }) => state.tags.delete(ask.args.id ?? ""),
  },
  create_policy: {
    type: "CREATE_POLICY_V3",
    subject: about("POLICY", "CREATE"),
    isPossible: ({ state, ask }) =>
      isNew(
        [...state.policies.values()].map(({ name }) => name),
        ask.args.policy?.name,
      ),
    apply: ({ state, ask }, { result }) =>
      state.policies.set(text(result.policyId), ask.args.policy as Policy),
  },
  delete_policy: {
    type: "DELETE_POLICY",
    subject: about("POLICY", "DELETE"),
    isPossible: ({ state, ask }) => state.policies.has(ask.args.id ?? ""),
    apply: ({ state, ask }) => state.policies.delete(ask.args.id ?? ""),
  },
  update_root_quorum: {
    type: "UPDATE_ROOT_QUORUM",
    subject: about("ORGANIZATION", "UPDATE"),
    isRootOnly: () => true,
    isPossible: ({ state, ask: { args } }) =>
      (args.userIds ?? []).every((id) => state.users.has(id)) &&
      (args.threshold ?? 1) <= (args.userIds ?? []).length,
    apply: ({ state, ask: { args } }) => {
      state.quorum = { threshold: args.threshold ?? 1, userIds: args.userIds ?? [] };
    },
  },
  create_users: {
    type: "CREATE_USERS_V3",
    subject: about("USER", "CREATE"),
    readsSender: true,
    isPossible: ({ state, ask }) => isNew(keysOf(state), ask.args.key),
    isInTheWay: isSessionKey,
    apply: ({ state, ask }, made) => {
      state.users.set(firstOf(made.result.userIds), {
        name: ask.args.name ?? "",
        keys: new Map([["", ask.args.key ?? ""]]),
        era: made.newNumber(),
        eraBeganMs: 0,
        email: null,
        isEmailVerified: false,
        registered: new Set(),
      });
    },
  },
  delete_users: {
    type: "DELETE_USERS",
    subject: about("USER", "DELETE"),
    isPossible: ({ state, ask: { args } }) =>
      state.users.has(args.id ?? "") && !state.quorum.userIds.includes(args.id ?? ""),
    apply: ({ state, ask }) => {
      const { id = "" } = ask.args;
      state.users.delete(id);
      for (const [invitationId, each] of state.invitations) {
        if (each.senderId === id || each.creatorId === id) state.invitations.delete(invitationId);
      }
      // Nobody takes the place of the user who asked, and nobody asks for it again.
      for (const [fingerprint, { userId }] of state.waiting) {
        if (userId !== id) continue;
        state.waiting.delete(fingerprint);
        state.over.set(fingerprint, "lapsed");
      }
    },
  },
  update_user_name: {
    type: "UPDATE_USER_NAME",
    subject: about("USER", "UPDATE"),
    isPossible: ({ state, ask }) => state.users.has(ask.args.id ?? ""),
    apply: (given) =>
      changeUser(given, given.ask.args.id ?? "", { name: given.ask.args.name ?? "" }),
  },
  create_api_keys: {
    type: "CREATE_API_KEYS_V2",
    subject: about("CREDENTIAL", "CREATE"),
    isOwn: (ask, userId) => ask.args.userId === userId,
    isPossible: (given) => {
      const { state, ask } = given;
      const { userId = "", key, seconds } = ask.args;
      return (
        state.users.has(userId) &&
        isNew(keysOf(state), key) &&
        (seconds === undefined || startedSince(given, userId))
      );
    },
    isInTheWay: isSessionKey,
    apply: (given, made) => {
      const { userId = "", key = "", seconds } = given.ask.args;
      const user = given.state.users.get(userId);
      if (seconds !== undefined) give(given, { userId, type: "key", isRegistered: true }, made);
      else if (user) {
        const keys = new Map(user.keys).set(firstOf(made.result.apiKeyIds), key);
        changeUser(given, userId, { keys });
      }
    },
  },
  delete_api_keys: {
    type: "DELETE_API_KEYS",
    subject: about("CREDENTIAL", "DELETE"),
    isOwn: (ask, userId) => ask.args.userId === userId,
    isPossible: ({ state, ask, grants }) => {
      const { userId = "", id = "" } = ask.args;
      const user = state.users.get(userId);
      if (!user) return false;
      if (user.keys.has(id)) return user.keys.size > 1;
      // One that has ended can be deleted again: the host may show it as if it had not.
      return grants.some((grant) => grant.apiKeyId === id && grant.userId === userId);
    },
    isInTheWay: ({ state, ask }) =>
      !state.users.get(ask.args.userId ?? "")?.keys.has(ask.args.id ?? ""),
    apply: (given, made) => {
      const { state, ask } = given;
      const { userId = "", id = "" } = ask.args;
      const user = state.users.get(userId);
      if (!user) return;
      const keys = new Map([...user.keys].filter(([each]) => each !== id));
      changeUser(given, userId, { keys });
      beginEra(given, userId, made, (grant) => grant.apiKeyId !== id);
    },
  },
  log_out_everywhere: {
    type: "LOG_OUT_EVERYWHERE",
    subject: about("USER", "UPDATE"),
    isOwn: (ask, userId) => ask.args.userId === userId,
    isPossible: ({ state, ask }) => state.users.has(ask.args.userId ?? ""),
    apply: (given, made) => beginEra(given, given.ask.args.userId ?? "", made, () => false),
  },
  stamp_login: {
    type: "STAMP_LOGIN",
    subject: about("AUTH", "CREATE"),
    isOwn: () => true,
    isSecret: "if voted",
    keepsDocument: ({ args }) => !args.endsOthers,
    isPossible: (given) =>
      startedSince(given, given.userId) &&
      hadKeySince(given) &&
      isNew(keysOf(given.state), given.ask.args.key),
    isInTheWay: isSessionKey,
    apply: (given, made) => logIn(given, given.userId, "login", made),
  },
  create_read_write_session: {
    type: "CREATE_READ_WRITE_SESSION_V2",
    subject: about("AUTH", "CREATE"),
    isOwn: ({ args }, userId) => (args.userId ?? userId) === userId,
    keepsDocument: ({ args }) => !args.endsOthers,
    isPossible: (given) =>
      startedSince(given, given.ask.args.userId ?? given.userId) && hadKeySince(given),
    apply: (given, made) => logIn(given, given.ask.args.userId ?? given.userId, "read-write", made),
  },
  create_private_keys: {
    type: "CREATE_PRIVATE_KEYS_V2",
    subject: about("PRIVATE_KEY", "CREATE"),
    isPossible: ({ state, ask }) => isNew(state.privateKeys.values(), ask.args.name),
    apply: ({ state, ask }, { result }) => {
      const [made] = result.privateKeys as { privateKeyId: string }[];
      state.privateKeys.set(made?.privateKeyId ?? "", ask.args.name ?? "");
    },
  },
  delete_private_keys: {
    type: "DELETE_PRIVATE_KEYS",
    subject: about("PRIVATE_KEY", "DELETE"),
    isPossible: ({ state, ask }) => state.privateKeys.has(ask.args.id ?? ""),
    apply: ({ state, ask }) => state.privateKeys.delete(ask.args.id ?? ""),
  },
  export_private_key: {
    type: "EXPORT_PRIVATE_KEY",
    subject: about("PRIVATE_KEY", "EXPORT"),
    isSecret: true,
    isPossible: ({ state, ask }) => state.privateKeys.has(ask.args.id ?? ""),
    apply() {},
  },
  sign_raw_payload: {
    type: "SIGN_RAW_PAYLOAD_V2",
    subject: about("PRIVATE_KEY", "SIGN"),
    isUnlisted: true,
    isRepeatable: true,
    keepsDocument: () => true,
    isPossible: (given) =>
      given.state.privateKeys.has(given.ask.args.id ?? "") || isAddress(given, given.ask.args.id),
  },
  create_wallet: {
    type: "CREATE_WALLET",
    subject: about("WALLET", "CREATE"),
    isPossible: ({ state, ask }) =>
      isNew(
        [...state.wallets.values()].map(({ name }) => name),
        ask.args.name,
      ),
    apply: ({ state, ask }, { result }) =>
      state.wallets.set(text(result.walletId), { name: ask.args.name ?? "", deleted: new Map() }),
  },
  delete_wallets: {
    type: "DELETE_WALLETS",
    subject: about("WALLET", "DELETE"),
    isPossible: ({ state, ask }) => state.wallets.has(ask.args.id ?? ""),
    apply: ({ state, ask }) => state.wallets.delete(ask.args.id ?? ""),
  },
  create_wallet_accounts: {
    type: "CREATE_WALLET_ACCOUNTS",
    subject: about("WALLET", "CREATE"),
    isRepeatable: true,
    isUnlisted: true,
    keepsDocument: () => true,
    isPossible: ({ state, ask }) => {
      const wallet = state.wallets.get(ask.args.id ?? "");
      const deleted = wallet?.deleted.get(ask.args.path ?? "");
      if (!wallet || !deleted) return wallet !== undefined;
      return ask.timestampMs > deleted.untilMs;
    },
    isInTheWay: ({ state, ask, makings }) =>
      makings.some(
        (making) =>
          making.walletId === ask.args.id &&
          making.path === ask.args.path &&
          making.fingerprint !== ask.fingerprint &&
          isUsable(state, making),
      ),
  },
  delete_wallet_accounts: {
    type: "DELETE_WALLET_ACCOUNTS",
    subject: about("WALLET", "DELETE"),
    isUnlisted: true,
    isPossible: (given) => isAccount(given, given.ask.args.id),
    apply: ({ state, ask, makings, nowMs }) => {
      const found = makings.find(({ accountId }) => accountId === ask.args.id);
      const wallet = state.wallets.get(found?.walletId ?? "");
      if (!found || !wallet) return;
      const { walletId, path } = found;
      // Every request that was sent until now may have been stamped so far ahead.
      const untilMs = nowMs + MAX_AHEAD_MS;
      const deleted = new Map(wallet.deleted).set(path, { version: state.version, untilMs });
      state.wallets.set(walletId, { ...wallet, deleted });
    },
  },
  update_user_email: {
    type: "UPDATE_USER_EMAIL",
    subject: about("USER", "UPDATE"),
    readsSender: true,
    isRootOnly: ({ state, ask }) => state.quorum.userIds.includes(ask.args.userId ?? ""),
    isPossible: (given) => {
      const { userId = "", email, token } = given.ask.args;
      const isFit = token === undefined || findToken(given)?.contact === email;
      return given.state.users.has(userId) && isFit;
    },
    apply: (given) => {
      const { userId = "", email = "" } = given.ask.args;
      // A token proves a contact only together with the key that it names.
      const isProven = findToken(given)?.key === given.key;
      const before = given.state.users.get(userId);
      const isKept = before?.email === email && before.isEmailVerified;
      changeUser(given, userId, { email, isEmailVerified: isProven || isKept });
    },
  },
  init_otp: {
    type: "INIT_OTP_V3",
    subject: about("OTP", "CREATE"),
    keepsDocument: () => true,
    // Nobody remembers for longer that a code was sent for these bytes.
    isPossible: ({ state, ask, nowMs, isVoted }) =>
      !state.isSub && (isVoted || nowMs - ask.timestampMs < 5 * MINUTE),
    isInTheWay: ({ state, guesses, ask, codes, nowMs }) => {
      const counted = { familyId: state.familyId, contact: ask.args.email ?? "" };
      const isForgotten = codes.some(
        ({ untilMs, ...code }) => isSameCount(code, counted) && untilMs <= nowMs,
      );
      return isLocked(guessesOf(guesses, counted)) || isForgotten;
    },
    apply: (
      { state, ask, userId, codes, guesses, nowMs, isVoted },
      { result, mail, newNumber },
    ) => {
      const otpId = text(result.otpId);
      const known = codes.findIndex((each) => each.otpId === otpId);
      const decidedBy = isVoted ? newNumber() : requestOf(ask.fingerprint, userId);
      if (typeof decidedBy === "number") state.voted.add(decidedBy);
      // The same bytes again are the same code, until it is forgotten.
      if (codes[known] && codes[known].untilMs > nowMs) {
        codes[known].decidedBy.push(decidedBy);
        return;
      }
      if (known >= 0) codes.splice(known, 1);
      const counted = { familyId: state.familyId, contact: ask.args.email ?? "" };
      const untilMs = nowMs + CODE_MS;
      codes.push({
        ...counted,
        otpId,
        code: mail?.code ?? "",
        untilMs,
        sentMs: nowMs,
        decidedBy: [decidedBy],
        wrong: new Set(),
        usedBy: null,
      });
      const before = guessesOf(guesses, counted);
      if (!before) guesses.push({ ...counted, wrong: 0, inAll: 0, untilMs });
      else {
        if (before.untilMs <= nowMs) before.wrong = 0;
        if (before.untilMs + DAY <= nowMs) before.inAll = 0;
        before.untilMs = untilMs;
      }
    },
  },
  verify_otp: {
    type: "VERIFY_OTP",
    subject: about("OTP", "VERIFY"),
    keepsDocument: () => true,
    isUnlisted: true,
    isSecret: "if voted",
    isPossible: ({ state, ask, codes, nowMs }) =>
      !state.isSub &&
      codes.some(
        ({ otpId, familyId, untilMs, decidedBy }) =>
          otpId === ask.args.id &&
          familyId === state.familyId &&
          untilMs > nowMs &&
          decidedBy.some((each) =>
            typeof each === "string" ? !state.waited.has(each) : state.voted.has(each),
          ),
      ),
    isRight: ({ ask, codes, guesses }) => {
      const code = codes.find(({ otpId }) => otpId === ask.args.id);
      if (!code || code.wrong.has(ask.fingerprint)) return false;
      if (code.usedBy !== null) return code.usedBy === ask.fingerprint;
      const isOpen = code.wrong.size < MAX_WRONG && !isLocked(guessesOf(guesses, code));
      return isOpen && code.code === ask.args.code;
    },
    apply: ({ ask, userId, codes, tokens, guesses, nowMs }, { result }) => {
      const code = codes.find(({ otpId }) => otpId === ask.args.id);
      if (!code) return;
      code.usedBy = ask.fingerprint;
      const request = requestOf(ask.fingerprint, userId);
      const { familyId, contact, sentMs } = code;
      const counted = guessesOf(guesses, code);
      if (counted) counted.inAll = 0;
      const verificationToken = text(result.verificationToken);
      const isKnown = tokens.some((token) => token.text === verificationToken);
      // What votes decided is shown with the commit, and nobody uses it here.
      if (isKnown || verificationToken === "") return;
      const key = ask.args.key ?? "";
      const untilMs = nowMs + HOUR;
      tokens.push({
        text: verificationToken,
        familyId,
        contact,
        key,
        request,
        sentMs,
        untilMs,
      });
    },
  },
  otp_login: {
    type: "OTP_LOGIN_V2",
    subject: about("AUTH", "CREATE"),
    isSecret: "if voted",
    keepsDocument: ({ args }) => !args.endsOthers,
    isPossible: (given) => {
      const { state, ask } = given;
      const token = findToken(given);
      const owner = token && ownerOf(state, token.contact);
      const user = state.users.get(owner ?? "");
      if (!token || !owner || !user) return false;
      return (
        ask.args.signedBy === token.key &&
        (ask.args.signedFor ?? ask.args.key) === ask.args.key &&
        token.sentMs > Math.max(user.eraBeganMs, state.ended.get(token.contact) ?? 0) &&
        startedSince(given, owner) &&
        isNew(keysOf(state), ask.args.key)
      );
    },
    isInTheWay: isSessionKey,
    apply: (given, made) => {
      const token = findToken(given);
      logIn(given, (token && ownerOf(given.state, token.contact)) ?? "", "login", made);
    },
  },
  create_invitations: {
    type: "CREATE_INVITATIONS",
    subject: about("INVITATION", "CREATE"),
    readsSender: true,
    isPossible: ({ state, ask }) => state.users.has(ask.args.userId ?? ""),
    apply: ({ state, ask, userId, nowMs }, { result, mail }) => {
      const { name = "", email = "", userId: senderId = "" } = ask.args;
      for (const [id, { createdMs }] of state.invitations) {
        if (nowMs >= createdMs + WEEK) state.invitations.delete(id);
      }
      state.invitations.set(firstOf(result.invitationIds), {
        userId: mail?.userId ?? "",
        token: mail?.token ?? "",
        name,
        email,
        senderId,
        creatorId: userId,
        createdMs: nowMs,
      });
    },
  },
  delete_invitation: {
    type: "DELETE_INVITATION",
    subject: about("INVITATION", "DELETE"),
    isPossible: ({ state, ask }) => state.invitations.has(ask.args.id ?? ""),
    apply: ({ state, ask }) => state.invitations.delete(ask.args.id ?? ""),
  },
  accept_invitation: {
    type: "ACCEPT_INVITATION_V2",
    subject: about("INVITATION", "ACCEPT"),
    readsSender: true,
    newcomer({ state, ask: { args }, key, nowMs }) {
      const invitation = state.invitations.get(args.id ?? "");
      if (!invitation || nowMs >= invitation.createdMs + WEEK) return null;
      // The proof is by the token, and for the passkey that the request registers and that stamped it.
      const isShown =
        args.proof?.token === invitation.token && args.proof.key === args.key && args.key === key;
      return isShown && args.userId === invitation.userId ? invitation.userId : null;
    },
    isPossible: ({ state, ask }) =>
      isNew(keysOf(state), ask.args.key) && !state.users.has(ask.args.userId ?? ""),
    apply: ({ state, ask }, made) => {
      const { id = "", key = "" } = ask.args;
      const invitation = state.invitations.get(id);
      if (!invitation) return;
      state.invitations.delete(id);
      state.users.set(invitation.userId, {
        name: invitation.name,
        email: invitation.email,
        isEmailVerified: false,
        keys: new Map([["", key]]),
        era: made.newNumber(),
        eraBeganMs: 0,
        registered: new Set(),
      });
    },
  },
  create_sub_organization: {
    type: "CREATE_SUB_ORGANIZATION_V7",
    subject: about("ORGANIZATION", "CREATE"),
    isRepeatable: true,
    keepsDocument: () => true,
    isPossible: ({ state }) => !state.isSub,
  },
  delete_sub_organization: {
    type: "DELETE_SUB_ORGANIZATION",
    subject: about("ORGANIZATION", "DELETE"),
    isPossible: ({ state }) => state.isSub,
    apply: ({ state }) => endAll(state),
  },
  delete_organization: {
    type: "DELETE_ORGANIZATION",
    subject: about("ORGANIZATION", "DELETE"),
    isRootOnly: () => true,
    isPossible: ({ state }) => !state.isSub,
    apply: ({ state }) => endAll(state),
  },
};

/** Nobody is left, so nothing more can happen in the organization. */
function endAll(state: State) {
  const { users, policies, tags, privateKeys, wallets, invitations, waiting } = state;
  for (const each of [users, policies, tags, privateKeys, wallets, invitations, waiting]) {
    each.clear();
  }
  state.quorum = { threshold: 1, userIds: [] };
}

function isLocked(counted: Pick<Guesses, "wrong" | "inAll"> = { wrong: 0, inAll: 0 }): boolean {
  return counted.wrong >= MAX_WRONG_OF_CONTACT || counted.inAll >= MAX_WRONG_IN_ALL;
}

function guessesOf(guesses: readonly Guesses[], counted: Counted): Guesses | undefined {
  return guesses.find((each) => isSameCount(each, counted));
}

export function isSameCount(one: Counted, other: Counted): boolean {
  return one.familyId === other.familyId && one.contact === other.contact;
}

/** Somebody who may try the code has tried a wrong one. The same request again is the same attempt. */
export function countGuess({ codes, guesses }: Facts, { args, fingerprint }: Ask, nowMs: number) {
  const code = codes.find(({ otpId }) => otpId === args.id);
  const counted = code && guessesOf(guesses, code);
  if (!code || !counted || code.untilMs <= nowMs || code.usedBy !== null || code.code === args.code)
    return;
  if (code.wrong.has(fingerprint) || code.wrong.size >= MAX_WRONG) return;
  if (isLocked(counted)) return;
  code.wrong.add(fingerprint);
  counted.wrong += 1;
  counted.inAll += 1;
}

/** The verification token of the request, if it counts now. */
function findToken({ state, ask, tokens, nowMs }: Case): Token | undefined {
  return tokens.find(
    ({ text, familyId, request, untilMs }) =>
      text === ask.args.token &&
      familyId === state.familyId &&
      !state.waited.has(request) &&
      untilMs > nowMs,
  );
}

/** The only user whom the contact means: who has proved it or, if nobody has, who has it. */
export function ownerOf({ users }: State, contact: string): string | undefined {
  const having = [...users].filter(([, { email }]) => email === contact);
  const proven = having.filter(([, { isEmailVerified }]) => isEmailVerified);
  const [owner, ...others] = proven.length > 0 ? proven : having;
  return others.length === 0 ? owner?.[0] : undefined;
}

/** A session has the key, of somebody: only its record says so. */
function isSessionKey({ grants, ask, nowMs }: Case): boolean {
  return grants.some(({ key, untilMs }) => key === ask.args.key && untilMs > nowMs);
}
