import assert from "node:assert/strict";
import { createViemAccount } from "@keyhearth/sdk/viem";
import {
  type Account,
  concat,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
  parseAbi,
  parseEther,
  zeroAddress,
} from "viem";
import { ethereum, fund } from "./chain.ts";
import { ethereumAccount, newUser, openParent } from "./organization.ts";

// Safe 1.4.1 is at the same addresses on every chain that has it.
const FACTORY = "0x4e1DCf7AD4e460CfD30791CCC4F9c8a4f820ec67";
const SINGLETON = "0x41675C099F32341bf84BFc5382aF534df5C7461a";
const abi = parseAbi([
  "function createProxyWithNonce(address singleton, bytes initializer, uint256 saltNonce) returns (address proxy)",
  "function setup(address[] owners, uint256 threshold, address to, bytes data, address fallbackHandler, address paymentToken, uint256 payment, address paymentReceiver)",
  "function execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures) payable returns (bool)",
  "function nonce() view returns (uint256)",
  "function getThreshold() view returns (uint256)",
]);

// 1. Three owners, each with a key in an organization of their own: nobody can sign for two.
const parent = await openParent();

async function newOwner(name: string): Promise<Account> {
  const user = newUser(name);
  const { subOrganizationId, wallet } = await parent.createSubOrganization({
    subOrganizationName: `${name}'s key`,
    rootQuorumThreshold: 1,
    rootUsers: [user.params],
    wallet: { walletName: "Owner", accounts: [ethereumAccount()] },
  });
  const [signWith = ""] = wallet?.addresses ?? [];
  return createViemAccount({
    connection: user.in(subOrganizationId),
    signWith,
    walletId: wallet?.walletId ?? "",
  });
}

const owners = await Promise.all(["Ada", "Bob", "Cleo"].map(newOwner));
// The contract wants its owners' signatures in the order of their addresses.
owners.sort((one, other) => (BigInt(one.address) < BigInt(other.address) ? -1 : 1));
const [sender, second] = owners as [Account, Account, Account];
await fund(sender.address);
const chain = ethereum.chain;
const wallet = createWalletClient({ account: sender, chain, transport: http() });

// 2. Create the contract for two of the three. Anyone may send this, and pays its gas.
const initializer = encodeFunctionData({
  abi,
  functionName: "setup",
  args: [
    owners.map(({ address }) => address),
    2n,
    zeroAddress,
    "0x",
    zeroAddress,
    zeroAddress,
    0n,
    zeroAddress,
  ],
});
const create = {
  address: FACTORY,
  abi,
  functionName: "createProxyWithNonce",
  args: [SINGLETON, initializer, BigInt(Date.now())],
} as const;
const { result: safe } = await ethereum.simulateContract({ ...create, account: sender });
await ethereum.waitForTransactionReceipt({
  hash: await wallet.writeContract({ ...create, gas: 500_000n }),
});
const threshold = await ethereum.readContract({ address: safe, abi, functionName: "getThreshold" });
console.log(`The contract has ${owners.length} owners and needs ${threshold}`);
await fund(safe);

// 3. Two owners sign what the contract should do: typed data, which policies and people can read.
const supplier = "0x8ba1f109551bD432803012645Ac136ddd64DBA72";
const payment = {
  to: supplier,
  value: parseEther("3"),
  data: "0x",
  operation: 0,
  safeTxGas: 0n,
  baseGas: 0n,
  gasPrice: 0n,
  gasToken: zeroAddress,
  refundReceiver: zeroAddress,
  nonce: await ethereum.readContract({ address: safe, abi, functionName: "nonce" }),
} as const;
const typedData = {
  domain: { chainId: await ethereum.getChainId(), verifyingContract: safe },
  types: {
    SafeTx: [
      { name: "to", type: "address" },
      { name: "value", type: "uint256" },
      { name: "data", type: "bytes" },
      { name: "operation", type: "uint8" },
      { name: "safeTxGas", type: "uint256" },
      { name: "baseGas", type: "uint256" },
      { name: "gasPrice", type: "uint256" },
      { name: "gasToken", type: "address" },
      { name: "refundReceiver", type: "address" },
      { name: "nonce", type: "uint256" },
    ],
  },
  primaryType: "SafeTx",
  message: payment,
} as const;

async function execute(signatures: Hex[]) {
  const { to, value, data, operation, safeTxGas, baseGas, gasPrice, gasToken, refundReceiver } =
    payment;
  const hash = await wallet.writeContract({
    address: safe,
    abi,
    functionName: "execTransaction",
    args: [
      to,
      value,
      data,
      operation,
      safeTxGas,
      baseGas,
      gasPrice,
      gasToken,
      refundReceiver,
      concat(signatures),
    ],
    gas: 300_000n,
  });
  return (await ethereum.waitForTransactionReceipt({ hash })).status;
}

const before = await ethereum.getBalance({ address: supplier });
const first = await sign(sender);
console.log(`With one signature: ${await execute([first])}`);
console.log(`With two: ${await execute([first, await sign(second)])}`);
const paid = (await ethereum.getBalance({ address: supplier })) - before;
assert.equal(paid, parseEther("3"));

async function sign(owner: Account): Promise<Hex> {
  assert(owner.signTypedData);
  return owner.signTypedData(typedData);
}
