import { newKey } from "@keyhearth/api/testing";
import { expect } from "vitest";
import {
  type Answer,
  type Json,
  newAccount,
  newSubOrganization,
  newWallet,
  query,
  type Submission,
  signing,
  submit,
} from "../start/post.ts";
import type { RootKey } from "../start/process.ts";

/** What a client knows: the bytes it sent and the answer, if one arrived. */
export type Sent = { submission: Submission; answer: Answer | null };

export type Load = {
  sent: Sent[];
  /** Sends no new requests. Resolves when those under way have ended in any way. */
  stop(): Promise<void>;
};

/** Each load has its own organization, because the number of wallets in one is limited. */
export type Target = { key: RootKey; walletId: string; signWith: string };

export async function createTarget(service: { url: string }, root: RootKey): Promise<Target> {
  const { publicKey, privateKey } = newKey();
  const answer = await submit(service, root, newSubOrganization(root, publicKey));
  const made = answer.json.activity?.result?.createSubOrganizationResultV7;
  if (!made) throw new Error(`no sub-organization: ${JSON.stringify(answer.json)}`);
  const key: RootKey = {
    organizationId: String(made.subOrganizationId),
    userId: String(made.rootUserIds?.[0]),
    apiPublicKey: publicKey,
    apiPrivateKey: privateKey,
  };
  const { walletId, addresses } = made.wallet ?? ({} as Json);
  return { key, walletId: String(walletId), signWith: String(addresses?.[0]) };
}

/** How many wallets, and how many accounts, one load creates. After that it only signs. */
const MOST_CREATED = 60;

/** Connections that create wallets, add accounts to one and sign, until they are stopped. */
export function startLoad(
  service: { url: string },
  { key, walletId, signWith }: Target,
  { pauseMs = 50 }: { pauseMs?: number } = {},
): Load {
  const sent: Sent[] = [];
  let isStopped = false;
  const sign = () => signing(key, signWith);
  const makers: ((count: number) => Submission)[] = [
    () => newWallet(key),
    (count) => newAccount(key, walletId, count + 1),
    sign,
    sign,
    sign,
  ];
  const loops = makers.map(async (make) => {
    for (let count = 0; !isStopped; count++) {
      const one: Sent = { submission: count < MOST_CREATED ? make(count) : sign(), answer: null };
      sent.push(one);
      one.answer = await submit(service, key, one.submission).catch(() => null);
      // A service that is down refuses at once. The pause keeps this loop from spinning.
      if (one.answer?.status !== 200) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  });
  return {
    sent,
    async stop() {
      isStopped = true;
      await Promise.all(loops);
    },
  };
}

/** With an outcome. An activity that is committed late is PENDING at first, and the same bytes get its outcome. */
export function wasAnswered({ answer }: Sent): boolean {
  return answer?.status === 200 && !isPending(answer);
}

/** By an error, or by no answer at all. */
export function wasRefused({ answer }: Sent): boolean {
  return answer?.status !== 200;
}

function isPending({ json }: Answer): boolean {
  return String(json.activity?.status) === "ACTIVITY_STATUS_PENDING";
}

/** Every answered request must be stored as it was answered, with everything that it created. */
export async function expectKept(service: { url: string }, root: RootKey, sent: Sent[]) {
  const answered = sent.filter(wasAnswered);
  const walletIds = await listWalletIds(service, root);
  await inBatches(answered, async ({ answer }) => {
    const told = answer?.json.activity;
    expect(told?.status).toBe("ACTIVITY_STATUS_COMPLETED");
    const { json } = await query(service, root, "get_activity", { activityId: told?.id });
    // An error is shown as it is: an activity may be gone, or only the database be away again.
    expect(json).toMatchObject({
      activity: {
        id: told?.id,
        status: "ACTIVITY_STATUS_COMPLETED",
        fingerprint: told?.fingerprint,
        result: told?.result,
      },
    });
    const { createWalletResult, createWalletAccountsResult } = told?.result ?? ({} as Json);
    if (createWalletResult) {
      const { walletId, addresses } = createWalletResult;
      expect(walletIds).toContain(walletId);
      await expectAccount(service, root, String(walletId), String(addresses?.[0]));
    }
    if (createWalletAccountsResult) {
      const intent = JSON.parse(String(told?.votes?.[0]?.message)).parameters;
      const address = String(createWalletAccountsResult.addresses?.[0]);
      await expectAccount(service, root, intent.walletId, address);
    }
  });
}

/**
 * Sends every unanswered request again, byte for byte. It must succeed, whether or not it was executed
 * before, and nothing may exist twice.
 */
export async function expectRepeatable(service: { url: string }, root: RootKey, sent: Sent[]) {
  const open = sent.filter((one) => !wasAnswered(one));
  for (const one of open) {
    one.answer = await submit(service, root, one.submission);
    expect(one.answer.json).toMatchObject({ activity: { status: "ACTIVITY_STATUS_COMPLETED" } });
  }
  const made = sent.filter(({ submission }) => submission.endpoint === "create_wallet");
  const walletIds = await listWalletIds(service, root);
  const told = made.map(
    ({ answer }) => answer?.json.activity?.result?.createWalletResult?.walletId,
  );
  expect(new Set(told).size).toBe(made.length);
  // The first wallet came with the organization.
  expect(walletIds).toHaveLength(made.length + 1);
}

async function listWalletIds(service: { url: string }, root: RootKey): Promise<string[]> {
  const { json } = await query(service, root, "list_wallets");
  return [...(json.wallets ?? [])].map(({ walletId }) => String(walletId));
}

async function expectAccount(
  service: { url: string },
  root: RootKey,
  walletId: string,
  address: string,
) {
  const { json } = await query(service, root, "get_wallet_account", { walletId, address });
  expect(json).toMatchObject({ account: { walletId, address } });
}

async function inBatches<T>(all: T[], work: (one: T) => Promise<void>) {
  for (let at = 0; at < all.length; at += 16) {
    await Promise.all(all.slice(at, at + 16).map(work));
  }
}
