import type { OrganizationDocument } from "@keyhearth/engine/records/organization";
import { clausesOf } from "./policies.ts";
import type { Invitation, State, User } from "./state.ts";

// What the model and the core's document are compared by: lines of text that are equal or not.

export type Picture = string[];

export function pictureOf(state: State): Picture {
  return [
    quorumLine(state.quorum),
    ...[...state.users].map(([id, user]) => userLine(id, user, [...user.keys.values()])),
    ...[...state.invitations].map(([id, each]) => invitationLine(id, each)),
    ...[...state.policies].map(([id, policy]) => {
      const { condition, consensus, time } = clausesOf(policy);
      return policyLine(id, policy.name, `EFFECT_${policy.effect}`, [condition, consensus, time]);
    }),
    ...[...state.tags].map(([id, name]) => `tag ${id} ${name}`),
    ...[...state.privateKeys].map(([id, name]) => `private key ${id} ${name}`),
    ...[...state.wallets].map(([id, { name, deleted }]) =>
      walletLine(id, name, [...deleted.keys()]),
    ),
    ...[...state.waiting].map(([fingerprint, { userId }]) => waitingLine(fingerprint, userId)),
  ].sort();
}

/** `nameOf` gives a public key, or the id of a passkey, the name that it has in plans. */
export function pictureOfDocument(
  document: OrganizationDocument,
  nameOf: (publicKey: string) => string,
): Picture {
  return [
    quorumLine(document.rootQuorum),
    ...document.users.map(({ userId, userName, apiKeys, authenticators, ...user }) => {
      const { userEmail: email, isEmailVerified, sessionEpochStartedAtMs: eraBeganMs } = user;
      const keys = [
        ...apiKeys.map(({ credential }) => nameOf(credential.publicKey)),
        ...authenticators.map(({ credentialId }) => nameOf(credentialId)),
      ];
      return userLine(userId, { name: userName, email, isEmailVerified, eraBeganMs }, keys);
    }),
    ...document.invitations.map(({ invitationId, senderUserId, creatorUserId, ...line }) => {
      const { userId, receiverUserName: name, receiverUserEmail: email } = line;
      const people = { userId, senderId: senderUserId, creatorId: creatorUserId };
      return invitationLine(invitationId, { ...people, name, email });
    }),
    ...document.policies.map(({ policyId, policyName, effect, condition, consensus, time }) =>
      policyLine(policyId, policyName, effect, [condition, consensus, time]),
    ),
    ...document.userTags.map(({ tagId, tagName }) => `tag ${tagId} ${tagName}`),
    ...document.privateKeys.map(
      ({ privateKeyId, privateKeyName }) => `private key ${privateKeyId} ${privateKeyName}`,
    ),
    ...document.wallets.map(({ walletId, walletName, deletedAccounts }) => {
      const paths = deletedAccounts.map(({ place }) => place.split(" ")[1] ?? "");
      return walletLine(walletId, walletName, paths);
    }),
    ...document.waiting.map(({ fingerprint, userId }) => waitingLine(fingerprint, userId)),
  ].sort();
}

/** The lines of one that the other does not have. */
export function differences(expected: Picture, found: Picture): string[] {
  return [
    ...expected.filter((line) => !found.includes(line)).map((line) => `missing: ${line}`),
    ...found.filter((line) => !expected.includes(line)).map((line) => `too much: ${line}`),
  ];
}

function quorumLine({ threshold, userIds }: State["quorum"]): string {
  return `quorum ${threshold} of ${[...new Set(userIds)].join(" ")}`;
}

type Person = Pick<User, "name" | "email" | "isEmailVerified" | "eraBeganMs">;

function userLine(id: string, user: Person, keys: string[]): string {
  const { name, email, isEmailVerified, eraBeganMs } = user;
  const contact = `${email}${isEmailVerified ? " (verified)" : ""}`;
  return `user ${id} ${name}, ${contact}, keys ${keys.sort().join(" ")}, era since ${eraBeganMs}`;
}

type Invited = Pick<Invitation, "userId" | "name" | "email" | "senderId" | "creatorId">;

function invitationLine(id: string, { userId, name, email, senderId, creatorId }: Invited): string {
  return `invitation ${id} ${userId} ${name} ${email} by ${senderId} and ${creatorId}`;
}

function policyLine(id: string, name: string, effect: string, clauses: (string | null)[]): string {
  return `policy ${id} ${name} ${effect} ${JSON.stringify(clauses.map((clause) => clause || null))}`;
}

function walletLine(id: string, name: string, deleted: string[]): string {
  return `wallet ${id} ${name}, deleted ${deleted.sort().join(" ")}`;
}

function waitingLine(fingerprint: string, userId: string): string {
  return `waiting ${fingerprint} of ${userId}`;
}
