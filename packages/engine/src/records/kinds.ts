import { recordRefused } from "../errors.ts";
import { activity } from "./activity.ts";
import type { RecordDefinition, RecordOf } from "./define.ts";
import { type RecordKind, upcast } from "./kind.ts";
import { type OrganizationDocument, organization } from "./organization.ts";
import { otp } from "./otp.ts";
import { privateKey } from "./private-key.ts";
import type { NotarizedRecord } from "./record.ts";
import { sessions } from "./sessions.ts";
import { smartContractInterface } from "./smart-contract-interface.ts";
import { wallet } from "./wallet.ts";
import { walletAccount } from "./wallet-account.ts";

/** Every kind of record besides the organization's document. */
export const kindsBesideDocument = [
  sessions,
  wallet,
  walletAccount,
  privateKey,
  smartContractInterface,
  otp,
  activity,
] as const;

export const recordKinds = [organization, ...kindsBesideDocument] as const;

type KindBesideDocument = (typeof kindsBesideDocument)[number];

export type RecordType = (typeof recordKinds)[number]["type"];

/** A record that the host brought with a request, in the current shape. `isOfType` narrows it. */
export type Brought =
  | RecordOf<"organization", OrganizationDocument>
  | RecordBeside<KindBesideDocument>;

export type BroughtOf<T extends RecordType> = Extract<Brought, { header: { type: T } }>;

/** A record that a request needs besides the organization's document. */
export type Want = WantOf<KindBesideDocument>;

/** The functions by which handlers find records of all kinds. */
export type Finders = Intersection<FindersOf<KindBesideDocument>>;

/** The functions by which handlers write records, by default to the request's organization. */
export type Writes = {
  [K in KindBesideDocument as NameOf<K>]: (body: BodyOf<K>, organizationId?: string) => void;
};

/** A kind in loops over all kinds. */
export type AnyKind = RecordDefinition<string, unknown, Record<string, unknown>, object, string>;

const byType = new Map<string, AnyKind | RecordKind<unknown>>(
  recordKinds.map((kind) => [kind.type, kind]),
);

export function isOfType<T extends RecordType>(type: T) {
  return <R extends Brought>(record: R): record is R & BroughtOf<T> => record.header.type === type;
}

/** A record with its body in the current shape of its kind. */
export function toBrought(record: NotarizedRecord, digest: string): Brought {
  const kind = byType.get(record.header.type);
  if (!kind) throw recordRefused(`record of unknown type ${record.header.type}`);
  // The kind was found by the type, so the body has its shape.
  return { header: record.header, body: upcast(kind, record), digest } as Brought;
}

type RecordBeside<K> =
  K extends RecordDefinition<infer T, infer B, infer _W, infer _F, infer _N>
    ? RecordOf<T, B>
    : never;

type BodyOf<K> = K extends { idOf(body: infer B): string } ? B : never;

type NameOf<K> =
  K extends RecordDefinition<infer _T, infer _B, infer _W, infer _F, infer N> ? N : never;

type FindersOf<K> =
  K extends RecordDefinition<infer _T, infer _B, infer _W, infer F, infer _N> ? F : never;

type WantOf<K> =
  K extends RecordDefinition<infer _T, infer _B, infer W, infer _F, infer _N> ? WantsIn<W> : never;

type WantsIn<W> = {
  [N in keyof W]: { [P in "type" | keyof W[N]]: P extends keyof W[N] ? W[N][P] : N };
}[keyof W];

/** Turns a union into the intersection of its members. */
type Intersection<U> = (U extends unknown ? (member: U) => void : never) extends (
  all: infer I,
) => void
  ? I
  : never;
