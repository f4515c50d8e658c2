import { encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { fingerprint } from "@keyhearth/crypto/stamps/fingerprint";
import { Unverified } from "../errors/errors.ts";
import {
  type AddressPlace,
  asRecord,
  hasAddress,
  isSameAddress,
  provesAddress,
  provesExactly,
  provesOutcome,
} from "./address-proofs.ts";
import { parseObject } from "./answers.ts";

// Checks whole answers with a pinned quorum key. What no proof covers is refused, wherever an
// answer has it (decision 21).

/** The key that the program pinned, and the page that explains the error. */
type Pin = { quorumPublicKey: string; docsUrl: string };

/** What the program asked for, in which organization. `path` is that of its own request, if it is a submission. */
type Question = { organizationId: string; asked: object; path?: string | undefined };

/** Where in an answer something is. `proofs` are those of the activity that it is in. */
type Place = Pin & Question & AddressPlace & { activity?: ActivityPlace };

type ActivityPlace = {
  id: string;
  proofs: unknown[];
  given: Record<string, unknown>;
  makesOrganization: boolean;
};

type Shown = Record<string, unknown>;

/**
 * What a request asks for in addition, so that its answer can be verified: the addresses of what is read, and the outcome
 * of what is submitted. Signatures need no statement, because they are verified by the key that signs.
 */
export function proofsFor(path: string): { includeAddressProofs?: true; generateAppProofs?: true } {
  const name = nameOf(path);
  if (name === "get_activity" || name === "list_activities") return { includeAddressProofs: true };
  const hasOutcome = path.includes("/submit/") && !name.startsWith("sign_");
  return hasOutcome ? { generateAppProofs: true } : {};
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/**
 * Checks every address in an answer, and every public key beside one: the holder of the pinned quorum key must have
 * stated that the address belongs to this wallet and path, or to this private key, of this organization. What the
 * request named must be what the answer shows. Throws `Unverified` for the first one that is not proven.
 */
export function verifyAnswer(answer: unknown, question: Pin & Question): void {
  visit(answer, question);
}

function visit(value: unknown, place: Place): void {
  if (Array.isArray(value)) {
    for (const each of value) visit(each, place);
    return;
  }
  const shown = asRecord(value);
  if (!shown) return;
  if (!place.activity && Object.hasOwn(shown, "result") && Object.hasOwn(shown, "fingerprint")) {
    visitActivity(shown, place);
    return;
  }
  // What is around something is true of it too.
  const { walletId = place.walletId, privateKeyId = place.privateKeyId } = shown;
  const here = { ...place, ...madeOrganization(shown, place), walletId, privateKeyId };
  if (Object.hasOwn(shown, "address")) verifyAddress(shown, here);
  if (Object.hasOwn(shown, "addresses")) verifyAddresses(shown.addresses, here);
  verifyPublicKey(shown, place);
  for (const each of Object.values(shown)) visit(each, here);
}

/**
 * The result of a request for a sub-organization may show its wallet. In an activity that is only read, no proof says
 * that the organization was made for that request: the host names it.
 */
function madeOrganization({ subOrganizationId }: Shown, { activity }: Place) {
  return activity?.makesOrganization && typeof subOrganizationId === "string"
    ? { organizationId: subOrganizationId }
    : {};
}

function visitActivity(activity: Shown, place: Place): void {
  const { result, intent: _, appProofs, addressProofs, ...others } = activity;
  verifyIntent(activity, place);
  visit(others, place);
  const { quorumPublicKey } = place;
  const organizationId = statedOf(activity, place);
  const outcomes = Array.isArray(appProofs) ? appProofs : [];
  if (outcomes.some((proof) => provesOutcome(proof, quorumPublicKey, activity, organizationId))) {
    return;
  }
  assertMayBeUnstated(activity, place);
  // The intent is the host's word, and true proofs of another wallet would fit another intent.
  const request = requestOf(activity);
  const given = { ...asRecord(request?.parameters), ...place.asked };
  const proofs = Array.isArray(addressProofs) ? addressProofs : [];
  const makesOrganization = text(request?.type).startsWith("ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION");
  visit(result, {
    ...place,
    activity: { id: String(activity.id), proofs, given, makesOrganization },
  });
}

/**
 * Of which organization the statement is: a new one states its founding itself. That it was founded by this request, and with
 * this id, is in the statement too.
 */
function statedOf({ result }: Shown, { path, organizationId }: Place): string {
  if (path === undefined || nameOf(path) !== "create_organization") return organizationId;
  const [inner] = Object.values({ ...asRecord(result) });
  return String(asRecord(inner)?.organizationId);
}

/**
 * The answer to a request of the program's own, and to its vote, must come with the signer's statement of the outcome, if
 * it names what the request did not: only that binds the result to the request. True proofs of other addresses say
 * nothing about it. The status is the host's word too: a result of what still waits is not stated either.
 */
function assertMayBeUnstated({ id, status, result }: Shown, { path, ...place }: Place): void {
  if (path === undefined) return;
  if (status !== "ACTIVITY_STATUS_COMPLETED" && Object.keys({ ...asRecord(result) }).length === 0) {
    return;
  }
  const isVote = nameOf(path) === "approve_activity";
  const given = namedIn(place.asked);
  if (!isVote && namedIn(result).every((each) => given.includes(each))) return;
  throw unverified(
    `The result of activity ${text(id)} is not stated by the quorum key that you pinned. Do not use it, and send the same bytes again`,
    place,
  );
}

/** The ids and addresses in a request or a result, each with the name of its member. */
function namedIn(value: unknown, name = ""): string[] {
  if (typeof value === "object" && value !== null) {
    const isList = Array.isArray(value);
    return Object.entries(value).flatMap(([own, each]) => namedIn(each, isList ? name : own));
  }
  return /Ids?$|^address(es)?$/.test(name) ? [`${name} ${String(value).toLowerCase()}`] : [];
}

/** An address with its own proof, as queries show it, or one in the result of an activity. */
function verifyAddress({ address, path, proof }: Shown, place: Place): void {
  if (place.activity) {
    verifyInResult(address, { ...place, derivationPath: path });
    return;
  }
  const { organizationId, walletId, privateKeyId, quorumPublicKey, asked } = place;
  // Whatever the answer says of the address must be what the proof says of it.
  const facts = { organizationId, walletId, privateKeyId, derivationPath: path, address };
  const isProven = provesExactly(proof, quorumPublicKey, known(facts));
  if (!isProven || !isAbout(asked, { walletId, privateKeyId, path, address })) {
    throw unproven(address, place);
  }
}

function known(facts: Shown): Shown {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}

function verifyAddresses(addresses: unknown, place: Place): void {
  if (!Array.isArray(addresses)) throw unproven(addresses, place);
  const accounts = accountsOf(place.activity?.given);
  addresses.forEach((address, index) => {
    if (asRecord(address)) return;
    // There is one address for each account that the request asked for.
    if (accounts.length > 0 && accounts.length !== addresses.length) throw unproven(address, place);
    verifyInResult(address, { ...place, derivationPath: accounts[index]?.path });
  });
}

/** An address in the result of an activity: that of the wallet and path that the request names, if it names them. */
function verifyInResult(address: unknown, place: Place): void {
  const { activity, organizationId, quorumPublicKey, derivationPath, privateKeyId } = place;
  const { proofs = [], given = {} } = activity ?? {};
  const { walletId = place.walletId } = given;
  const { address: asked }: { address?: unknown } = place.asked;
  // The program itself named this one.
  if (activity && asked !== undefined && isSameAddress(asked, address)) return;
  // Any key of the organization has some address: something must say which key it is.
  const isOfKey =
    walletId !== undefined || privateKeyId !== undefined || isSameAddress(given.address, address);
  const facts = { organizationId, walletId, privateKeyId, derivationPath, address };
  const isProven = isOfKey && proofs.some((proof) => provesAddress(proof, quorumPublicKey, facts));
  if (!isProven) throw unproven(address, place);
}

/** The accounts that a request makes: of a wallet, or of the wallet of a new sub-organization. */
function accountsOf(given: Shown | undefined): Shown[] {
  const accounts = given?.accounts ?? asRecord(given?.wallet)?.accounts;
  return Array.isArray(accounts) ? accounts.map((account) => ({ ...asRecord(account) })) : [];
}

/** A key's public half follows from no proof of its own, but only one key has its addresses. */
function verifyPublicKey(shown: Shown, place: Place): void {
  const { publicKey, address, addresses, addressFormat } = shown;
  const isKey = ["address", "addresses", "walletAccountId", "privateKeyId", "path"].some((name) =>
    Object.hasOwn(shown, name),
  );
  if (publicKey === undefined || !isKey) return;
  const own = Object.hasOwn(shown, "address") ? [{ format: addressFormat, address }] : addresses;
  if (!Array.isArray(own) || own.length === 0) {
    throw unverified(
      `Nothing proves the public key ${text(publicKey)}, because no address is shown with it. Create keys with an address format, such as ADDRESS_FORMAT_COMPRESSED`,
      place,
    );
  }
  if (own.every((each) => hasAddress(shown, each?.format, each?.address))) return;
  throw unverified(
    `The public key ${text(publicKey)} is not that of the address shown with it. Do not use either, and ask your operator`,
    place,
  );
}

/** Names of an intent's members that name a key, a wallet, a user or a contract. */
const NAMES_IN_INTENTS = [
  ...["address", "addresses", "signWith", "smartContractAddress"],
  ...["walletId", "walletIds", "privateKeyId", "privateKeyIds", "userId", "userIds"],
];

/** The exact request is in the first vote, and has the fingerprint. */
function requestOf({ votes, fingerprint: stated }: Shown): Shown | undefined {
  const [first] = Array.isArray(votes) ? votes : [];
  const message = asRecord(first)?.message;
  const isRequest = typeof message === "string" && fingerprint(encodeUtf8(message)) === stated;
  return isRequest ? parseObject(message) : undefined;
}

/** An intent names what the request named. */
function verifyIntent(activity: Shown, place: Place): void {
  const { id, intent } = activity;
  // A member that was left out is shown empty.
  const named = textsNamed(intent).filter((each) => each !== "");
  if (named.length === 0) return;
  const requested = textsNamed(requestOf(activity));
  const wrong = named.find((each) => !requested.some((other) => isSameAddress(each, other)));
  if (wrong === undefined) return;
  throw unverified(
    `The intent of activity ${text(id)} names ${text(wrong)}, and its request does not. Do not use it, and read the activity with getActivity`,
    place,
  );
}

function textsNamed(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(textsNamed);
  return Object.entries({ ...asRecord(value) }).flatMap(([name, each]) =>
    NAMES_IN_INTENTS.includes(name) ? [each].flat() : textsNamed(each),
  );
}

/** What queries name keys and accounts by. */
const NAMES_IN_QUERIES = ["walletId", "privateKeyId", "path", "address"];

/** Whether this is what the query named, as far as it named something. */
function isAbout(asked: object, shown: Shown): boolean {
  return Object.entries(asked).every(
    ([name, value]) =>
      !NAMES_IN_QUERIES.includes(name) ||
      value === undefined ||
      (name === "address"
        ? isSameAddress(value, shown[name])
        : String(value).toLowerCase() === String(shown[name]).toLowerCase()),
  );
}

function unproven(address: unknown, { activity, ...place }: Place): Unverified {
  return unverified(
    activity
      ? `The address ${text(address)} in the result of activity ${text(activity.id)} is not proven by the quorum key that you pinned. Do not use it: read addresses with listWalletAccounts or listPrivateKeys, which show those of keys that exist`
      : `The address ${text(address)} is not proven by the quorum key that you pinned. Do not use it, and compare the pinned key with the one of your operator`,
    place,
  );
}

function text(value: unknown): string {
  return String(value).slice(0, 200);
}

function unverified(message: string, { docsUrl }: Pin): Unverified {
  return new Unverified(message, { code: "UNVERIFIED", docsUrl });
}
