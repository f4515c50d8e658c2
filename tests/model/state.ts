import type { Policy } from "./policies.ts";

// What the model knows about an organization. It says nothing about how the core stores any of it.

export type State = {
  isSub: boolean;
  /** The id of the parent, or of the organization itself. */
  familyId: string;
  users: Map<string, User>;
  /** When users lost these contacts and keys. What proved one before logs nobody in who has it now. */
  ended: Map<string, number>;
  quorum: { threshold: number; userIds: string[] };
  policies: Map<string, Policy>;
  tags: Map<string, string>;
  privateKeys: Map<string, string>;
  wallets: Map<string, Wallet>;
  invitations: Map<string, Invitation>;
  /** Requests that wait for approvals, by fingerprint. */
  waiting: Map<string, Waiting>;
  /** Requests that took effect, failed, were rejected or lapsed: forever. */
  over: Map<string, "done" | "failed" | "rejected" | "lapsed">;
  /** Requests that waited, by `requestOf`: what they gave at once before then no longer counts. */
  waited: Set<string>;
  /** Accounts that votes decided, by number. */
  voted: Set<number>;
  /** How many documents came before. */
  version: number;
};

export type User = {
  name: string;
  /** Public keys of API keys by their ids. */
  keys: Map<string, string>;
  /** Sessions belong to an era. A log-out begins another one. */
  era: number;
  /** Logins that were stamped until then are refused. */
  eraBeganMs: number;
  email: string | null;
  /** Whether the user has read a code at the address. */
  isEmailVerified: boolean;
  /** Expiring credentials that count because this state has them, by number. */
  registered: Set<number>;
};

type Wallet = { name: string; deleted: Map<string, DeletedAccount> };

type DeletedAccount = {
  /** Accounts at this path that were made before this version do not exist. */
  version: number;
  /** Requests that were stamped until then do not make it again. */
  untilMs: number;
};

export type Waiting = {
  ask: Ask;
  /** Who asked, and with which key. */
  userId: string;
  key: string;
  approvals: Approval[];
  /** Approvals from before then no longer count. */
  sinceMs: number;
};

export type Approval = Who & { atMs: number; timestampMs: number; fingerprint: string };

/** Someone who may be behind a stamp: a user, with the id of the key, or with an expiring credential. */
export type Who = {
  userId: string;
  credential: string | number;
  /** What the expiring credential is valid by: the user's era, or that it is registered itself. */
  by: number;
};

/** A person with the token may become the user, once and within a week. */
export type Invitation = {
  userId: string;
  name: string;
  email: string;
  senderId: string;
  creatorId: string;
  createdMs: number;
  /** Only the receiver of the mail knows it. */
  token: string;
};

/** A request as its stamped bytes say it. */
export type Ask = {
  kind: string;
  args: Args;
  timestampMs: number;
  fingerprint: string;
};

/** Names, ids and numbers: what a kind makes of them is said there. */
export type Args = {
  id?: string;
  name?: string;
  userId?: string;
  /** The public key, by its name in the plan. */
  key?: string;
  path?: string;
  seconds?: number;
  endsOthers?: boolean;
  policy?: Policy;
  threshold?: number;
  userIds?: string[];
  fingerprint?: string;
  email?: string;
  /** What somebody types as a code. */
  code?: string;
  /** A verification token, and the key that signs for it. */
  token?: string;
  signedBy?: string;
  signedFor?: string;
  /** A proof that the maker of a passkey has a token. */
  proof?: { token: string; key: string };
};

/** A copy that can be changed: what a document would be if it were confirmed. */
export function copyOf(state: State): State {
  return {
    isSub: state.isSub,
    familyId: state.familyId,
    users: new Map(state.users),
    ended: new Map(state.ended),
    quorum: state.quorum,
    policies: new Map(state.policies),
    tags: new Map(state.tags),
    privateKeys: new Map(state.privateKeys),
    wallets: new Map(state.wallets),
    invitations: new Map(state.invitations),
    waiting: new Map(state.waiting),
    over: new Map(state.over),
    waited: new Set(state.waited),
    voted: new Set(state.voted),
    version: state.version + 1,
  };
}

/** The same bytes of another user are another request. */
export function requestOf(fingerprint: string, userId: string): string {
  return `${fingerprint} ${userId}`;
}

export function keysOf(state: State): string[] {
  return [...state.users.values()].flatMap(({ keys }) => [...keys.values()]);
}
