import { newKey, newOrganization, type TestOrganization } from "@keyhearth/api/testing";
import {
  ApiKeyStamper,
  type Connection,
  ConsensusNeeded,
  getWalletAccount,
  type KeyhearthClient,
  listWalletAccounts,
  type RequestToReject,
  reject,
  signRawPayload,
} from "@keyhearth/sdk";
import { createEip1193Provider } from "@keyhearth/sdk/eip-1193";
import { KeyhearthEthersSigner } from "@keyhearth/sdk/ethers";
import { createViemAccount } from "@keyhearth/sdk/viem";
import { type Hex, parseSignature, parseTransaction, serializeTransaction } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import { tampering } from "../sdk/tampering.ts";

// Somebody between the SDK and the real service reads and changes the answers.

let organization: TestOrganization;
let root: KeyhearthClient;
let walletId: string;
let payer: Hex;
let quorumPublicKey: string;
/** A wallet of the same organization, whose addresses are proven too. */
let decoy: { walletId: string; address: Hex };

const path = "m/44'/60'/0'/0/0";
const account = {
  curve: "CURVE_SECP256K1",
  pathFormat: "PATH_FORMAT_BIP32",
  path,
  addressFormat: "ADDRESS_FORMAT_ETHEREUM",
} as const;
const secondPath = "m/44'/60'/0'/0/1";
const accounts = [account, { ...account, path: secondPath }];
const recipient = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";
const unverified = { name: "Unverified", code: "UNVERIFIED" };

async function makeWallet(walletName: string) {
  const made = await root.createWallet({ walletName, accounts });
  // Addresses of this format start with 0x.
  return { walletId: made.walletId, address: made.addresses[0] as Hex };
}

beforeAll(async () => {
  organization = await newOrganization();
  root = organization.root;
  ({ walletId, address: payer } = await makeWallet("treasury"));
  decoy = await makeWallet("decoy");
  const described = organization.server.signer.handle({ call: "describe" });
  ({ quorumPublicKey } = described as { quorumPublicKey: string });
});

describe("a signature", () => {
  const transaction = {
    type: "eip1559",
    chainId: 1,
    nonce: 0,
    to: recipient,
    value: 1n,
    gas: 21_000n,
    maxFeePerGas: 3n,
    maxPriorityFeePerGas: 1n,
  } as const;
  const domain = { name: "Orders", chainId: 1 };
  const types = { Order: [{ name: "amount", type: "uint256" }] };
  const order = { domain, types, primaryType: "Order", message: { amount: 1n } } as const;
  const digest = `0x${"11".repeat(32)}` as const;

  const adapters: Record<string, (connection: Connection) => Promise<(() => Promise<unknown>)[]>> =
    {
      async viem(connection) {
        const mine = await createViemAccount({ connection, signWith: payer, walletId });
        return [
          () => mine.sign({ hash: digest }),
          () => mine.signMessage({ message: "hello" }),
          () => mine.signTypedData(order),
          () => mine.signAuthorization({ address: recipient, chainId: 1, nonce: 1 }),
          () => mine.signTransaction(transaction),
        ];
      },
      async ethers(connection) {
        const mine = new KeyhearthEthersSigner({ connection, signWith: payer });
        const { type: _, ...fields } = transaction;
        return [
          () => mine.signMessage("hello"),
          () => mine.signTypedData(domain, types, order.message),
          () => mine.authorize({ address: recipient, chainId: 1n, nonce: 1n }),
          () => mine.signTransaction({ ...fields, type: 2, gasLimit: 21_000n }),
        ];
      },
      async "eip-1193"(connection) {
        const chains = [{ chainId: 1, rpcUrl: "http://127.0.0.1:9" }];
        const fetch = async () => Response.json({ jsonrpc: "2.0", id: 1, result: "0x1" });
        const mine = createEip1193Provider({ connection, signWith: payer, chains, fetch });
        await mine.request({ method: "eth_requestAccounts" });
        const data = JSON.stringify({
          ...order,
          message: { amount: "1" },
          types: {
            ...types,
            EIP712Domain: [
              { name: "name", type: "string" },
              { name: "chainId", type: "uint256" },
            ],
          },
        });
        const fields = { type: "0x2", nonce: "0x0", gas: "0x5208", maxFeePerGas: "0x3" };
        const payment = { ...fields, from: payer, to: recipient, maxPriorityFeePerGas: "0x1" };
        const asked = [
          { method: "personal_sign", params: ["0x68656c6c6f", payer] },
          { method: "eth_signTypedData_v4", params: [payer, data] },
          { method: "eth_signTransaction", params: [payment] },
        ];
        return asked.map((each) => async () => {
          await mine.request(each).catch(({ cause }) => {
            throw cause;
          });
        });
      },
    };

  const names = Object.keys(adapters);

  /** Each answer has the signature that another request really got. */
  async function replacing(signWith: string): Promise<Connection> {
    const { r, s, v } = await signRawPayload(root, {
      signWith,
      payload: "22".repeat(32),
      encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
      hashFunction: "HASH_FUNCTION_NO_OP",
    });
    return tampering(organization, (answer) =>
      answer
        .replace(/"r":"[0-9a-f]+","s":"[0-9a-f]+","v":"0[01]"/g, `"r":"${r}","s":"${s}","v":"${v}"`)
        .replace(/"signedTransaction":"([0-9a-f]+)"/g, (_, signed: string) => {
          const { r: _r, s: _s, v: _v, yParity: _y, ...fields } = parseTransaction(`0x${signed}`);
          const other = parseSignature(`0x${r}${s}${v === "00" ? "1b" : "1c"}`);
          return `"signedTransaction":"${serializeTransaction(fields as never, other).slice(2)}"`;
        }),
    );
  }

  test.each(names)(
    "%s over other bytes, by the same key or another, is not handed out",
    async (name) => {
      const make = adapters[name] as (typeof adapters)[string]; // the keys of the object
      for (const sign of await make(tampering(organization, (answer) => answer))) {
        await expect(sign()).resolves.not.toThrow();
      }
      for (const signWith of [payer, decoy.address]) {
        for (const sign of await make(await replacing(signWith))) {
          await expect(sign(), sign.toString()).rejects.toMatchObject(unverified);
        }
      }
    },
  );
});

describe("with a pinned quorum key,", () => {
  test("an address without what its proof is about is not believed", async () => {
    const changes: ((answer: string) => string)[] = [
      (answer) => answer.replaceAll(payer, decoy.address).replace(/"path":"[^"]*",/g, ""),
      (answer) =>
        answer.replace(/"address":"(\w+)"/g, '"address":["$1"]').replace(/"path":"[^"]*",/g, ""),
      (answer) => answer.replace(/"proof":/g, '"proofs":'),
    ];
    for (const change of changes) {
      const lying = tampering(organization, change, { quorumPublicKey });
      await expect(getWalletAccount(lying, { walletId, path })).rejects.toMatchObject(unverified);
      await expect(listWalletAccounts(lying, { walletId })).rejects.toMatchObject(unverified);
    }
  });

  test("an address of another wallet is not taken for one of the wallet that was asked for", async () => {
    const connection = tampering(organization, (answer) => answer, { quorumPublicKey });
    const asked = { walletId: decoy.walletId, path };
    const one = JSON.stringify(await getWalletAccount(connection, asked));
    const all = JSON.stringify(await listWalletAccounts(connection, { walletId: decoy.walletId }));
    const lying = tampering(organization, (_, at) => (at.endsWith("account") ? one : all), {
      quorumPublicKey,
    });
    expect(one).toContain(decoy.address);
    expect(all).toContain(decoy.address);
    await expect(getWalletAccount(lying, { walletId, path })).rejects.toMatchObject(unverified);
    await expect(getWalletAccount(lying, { ...asked, path: secondPath })).rejects.toMatchObject(
      unverified,
    );
    await expect(listWalletAccounts(lying, { walletId })).rejects.toMatchObject(unverified);
    expect((await listWalletAccounts(lying)).accounts).toHaveLength(2);
  });
});

test("a rejection that was meant for one request does not end another one", async () => {
  const own = await newOrganization();
  const bob = newKey();
  const { userIds } = await own.root.createUsers({
    users: [
      {
        ...{ userName: "bob", userTags: [], authenticators: [], oauthProviders: [] },
        apiKeys: [{ apiKeyName: "key", publicKey: bob.publicKey, curveType: "API_KEY_CURVE_P256" }],
      },
    ],
  });
  await own.root.updateRootQuorum({ threshold: 2, userIds: [own.userId, ...userIds] });
  const waiting = async (walletName: string) => {
    const asked = own.root.createWallet({ walletName, accounts: [] });
    const error = await asked.catch((caught: unknown) => caught);
    if (error instanceof ConsensusNeeded) return error.activity;
    throw new Error("it did not wait");
  };
  const [meant, other] = [await waiting("a"), await waiting("b")];
  const stamper = new ApiKeyStamper({
    apiPublicKey: bob.publicKey,
    apiPrivateKey: bob.privateKey,
  });
  const lied = tampering(
    own,
    (answer, path) =>
      path.endsWith("/get_activity")
        ? answer.replaceAll(meant.fingerprint, other.fingerprint)
        : answer,
    { stamper },
  );
  await expect(reject(lied, meant.id)).rejects.toMatchObject(unverified);
  // With the votes of the other request too, only whoever rejects can tell, by what the bytes say.
  const { activity: shown } = await own.root.getActivity({ activityId: other.id });
  const swapped = tampering(
    own,
    (answer, path) =>
      path.endsWith("/get_activity")
        ? JSON.stringify({ activity: { ...shown, id: meant.id } })
        : answer,
    { stamper },
  );
  const decide = ({ parameters }: RequestToReject) => parameters.walletName === "a";
  await expect(reject(swapped, meant.id, { decide })).rejects.toMatchObject({ code: "DECLINED" });
  const statusOf = async (activityId: string) =>
    (await own.root.getActivity({ activityId })).activity.status;
  expect(await statusOf(meant.id)).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
  expect(await statusOf(other.id)).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
  const honest = tampering(own, (answer) => answer, { stamper });
  await reject(honest, meant.id, { decide });
  expect(await statusOf(meant.id)).toBe("ACTIVITY_STATUS_REJECTED");
});

test("an answer about another request is not taken for this one's", async () => {
  const made = await root.createWallet({ walletName: "first", accounts: [account] });
  const replayed = JSON.stringify({ activity: made.activity });
  const lying = tampering(organization, () => replayed);
  const { createWallet } = await import("@keyhearth/sdk");
  const asked = createWallet(lying, { walletName: "second", accounts: [account] });
  await expect(asked).rejects.toMatchObject(unverified);
});
