import type { ActivityRecord } from "@keyhearth/engine/records/activity";
import type { OrganizationDocument } from "@keyhearth/engine/records/organization";
import type { WalletAccount } from "@keyhearth/engine/records/wallet-account";
import { placeOf, type StoredRecord } from "./host.ts";
import { ownerOf } from "./kinds.ts";
import { holdersOf } from "./promise.ts";
import { PASSKEYS, publicKeyNamed, votes } from "./wire.ts";
import { momentOf, type SentRequest, type World } from "./world.ts";

/** What an honest host brings with a request: the records that it has, and what each is for. */
export function wantedFor(
  world: World,
  { ask, organization }: SentRequest,
  by: string,
): { label: string; record: StoredRecord | undefined }[] {
  const { host } = world;
  const at = (type: string, id: string) => host.current.get(placeOf(type, organization.id, id));
  const isVote = ask.kind in votes;
  const fingerprint = isVote ? (ask.args.fingerprint ?? "") : ask.fingerprint;
  const all = [...host.current.values()].filter((each) => each.organizationId === organization.id);
  const activity = all.findLast(
    (each) => each.type === "activity" && (each.body as ActivityRecord).fingerprint === fingerprint,
  );
  const target = world.requests.get(world.firstSteps.get(fingerprint) ?? "")?.ask ?? ask;
  const document = at("organization", organization.id);
  const wanted: { label: string; record: StoredRecord | undefined }[] = [
    { label: "document", record: document },
    { label: "activity", record: activity },
  ];
  // The parent says on which pages passkeys count.
  const { parentOrganizationId: parent } = (document?.body ?? {}) as Partial<OrganizationDocument>;
  if (parent && PASSKEYS.includes(by)) {
    wanted.push({
      label: "parent",
      record: host.current.get(placeOf("organization", parent, parent)),
    });
  }
  const sessionsOf = (label: string, key: string) => {
    const found = all.filter((record) => hasKey(record, publicKeyNamed(key)));
    return found.map((record, index) => ({
      label: index === 0 ? label : `${label} ${index}`,
      record,
    }));
  };
  const moment = momentOf(world, organization);
  const holder = moment && holdersOf(moment, by)[0];
  const { id = "", userId, path, key } = target.args;
  const submitter = isVote
    ? moment?.state.waiting.get(fingerprint)?.userId
    : (submitterOf(activity) ?? holder?.userId);
  switch (target.kind) {
    case "stamp_login":
    case "create_read_write_session":
    case "create_api_keys":
    case "delete_api_keys": {
      const owner = userId ?? submitter ?? "";
      wanted.push({ label: "sessions", record: at("sessions", owner) });
      break;
    }
    case "sign_raw_payload":
    case "export_private_key": {
      // A host knows accounts that were never committed too.
      const known = [...host.records.values()].findLast(
        (each) => each.type === "wallet-account" && each.id === id,
      );
      const { walletId = "", path = "" } = (known?.body ?? {}) as Partial<WalletAccount>;
      // One that was made again at the place of a deleted one has the same address.
      const account = all.findLast((each) => isAccountAt(each, walletId, path));
      wanted.push({ label: "private key", record: at("private-key", id) });
      wanted.push({ label: "account", record: account });
      wanted.push({ label: "wallet", record: at("wallet", walletId) });
      break;
    }
    case "create_wallet_accounts":
      wanted.push({ label: "wallet", record: at("wallet", id) });
      wanted.push({
        label: "account",
        record: all.findLast((each) => isAccountAt(each, id, path ?? "")),
      });
      break;
    case "verify_otp":
      wanted.push({ label: "code", record: at("otp", id) });
      break;
    case "otp_login": {
      const contact = world.facts.tokens.find(({ text }) => text === target.args.token)?.contact;
      const owner = moment && ownerOf(moment.state, contact ?? "");
      wanted.push({ label: "sessions", record: at("sessions", owner ?? "") });
      break;
    }
    case "delete_wallet_accounts":
      wanted.push({ label: "account", record: at("wallet-account", id) });
      break;
  }
  const wantsHolder = ["stamp_login", "otp_login", "create_api_keys", "create_users"].includes(
    target.kind,
  );
  if (wantsHolder && key !== undefined) {
    wanted.push(...sessionsOf("sessions of the key", key));
  }
  const isSession = holder && typeof holder.credential === "number";
  const found = isSession ? sessionsOf("sessions of the stamp", by) : [];
  wanted.push(
    ...(found.length > 0 ? found : [{ label: "sessions of the stamp", record: undefined }]),
  );
  return wanted;
}

export function hasKey({ type, body }: StoredRecord, publicKey: string): boolean {
  if (type !== "sessions") return false;
  return (body as SessionsBody).entries.some(
    ({ credential }) => credential.publicKey === publicKey,
  );
}

export type SessionsBody = { entries: { credential: { publicKey: string } }[] };

function isAccountAt({ type, body }: StoredRecord, walletId: string, path: string): boolean {
  const account = body as WalletAccount;
  return type === "wallet-account" && account.walletId === walletId && account.path === path;
}

function submitterOf(activity: StoredRecord | undefined): string | undefined {
  return (activity?.body as ActivityRecord | undefined)?.votes[0]?.userId;
}
