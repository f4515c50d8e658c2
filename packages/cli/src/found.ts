import { nearest } from "@keyhearth/policy/errors";
import type { Curve, KeyhearthClient, Policy, Wallet } from "@keyhearth/sdk";
import { InputError } from "./errors.ts";
import { plain } from "./output.ts";
import { entriesOf } from "./pages.ts";

// What a command line names by its id or by its name.

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export async function findWallet(client: KeyhearthClient, given: string): Promise<Wallet> {
  const { wallets } = await client.listWallets({});
  return one("wallet", given, wallets, ({ walletId, walletName }) => [walletId, walletName]);
}

export async function findPolicy(client: KeyhearthClient, given: string): Promise<Policy> {
  const { policies } = await client.listPolicies({});
  return one("policy", given, policies, ({ policyId, policyName }) => [policyId, policyName]);
}

/**
 * With `--yes` nobody sees which id the service has for a name, and it could name another thing. So such a command line
 * has the id itself.
 */
export function checkYes(hasYes: boolean, noun: string, given: string, id: string): void {
  if (!hasYes || ID.test(given)) return;
  throw new InputError(
    `--yes takes the id of a ${noun} and not its name, because the service says which one has the name: leave --yes out to be asked, or write ${plain(id)} in place of ${JSON.stringify(plain(given.slice(0, 100)))} if that is the id that you know`,
  );
}

function one<Item>(
  noun: string,
  given: string,
  items: readonly Item[],
  namesOf: (item: Item) => readonly [id: string, name: string],
): Item {
  const isId = ID.test(given);
  const found = items.find((item) => {
    const [id, name] = namesOf(item);
    return isId ? id === given.toLowerCase() : name === given;
  });
  if (found !== undefined) return found;
  const near = isId
    ? undefined
    : nearest(
        given,
        items.map((item) => namesOf(item)[1]),
      );
  const hint = near === undefined ? "" : `: did you mean ${plain(near)}?`;
  throw new InputError(`there is no ${noun} ${plain(given.slice(0, 100))}${hint}`);
}

/** A key that signs, named by an address of it or by the id of a private key. */
export type Signer = {
  readonly signWith: string;
  readonly curve: Curve;
  readonly isEthereum: boolean;
  /** As the service shows it. Missing for an address of Ethereum, which needs no look. */
  readonly publicKey?: string | undefined;
};

export async function findSigner(client: KeyhearthClient, given: string): Promise<Signer> {
  if (/^0x[0-9a-f]{40}$/i.test(given)) {
    return { signWith: given, curve: "CURVE_SECP256K1", isEthereum: true };
  }
  const { privateKeys } = await client.listPrivateKeys({});
  const key = privateKeys.find(
    ({ privateKeyId, addresses }) =>
      privateKeyId === given.toLowerCase() || addresses.some(({ address }) => address === given),
  );
  if (key) {
    const { curve, publicKey } = key;
    return { signWith: given, curve, isEthereum: false, publicKey };
  }
  const accounts = entriesOf(
    async (paginationOptions) => (await client.listWalletAccounts({ paginationOptions })).accounts,
    ({ walletAccountId }) => walletAccountId,
  );
  for await (const { address, curve, publicKey } of accounts) {
    if (address === given) return { signWith: given, curve, isEthereum: false, publicKey };
  }
  throw new InputError(
    `no account and no private key of the organization is ${plain(given.slice(0, 100))}: \`keyhearth accounts list\` shows the addresses`,
  );
}
