import assert from "node:assert/strict";
import { PolicyDenied } from "@keyhearth/sdk";
import { createSolanaSigner } from "@keyhearth/sdk/solana";
import {
  AccountRole,
  type Address,
  address,
  appendTransactionMessageInstruction,
  createSolanaRpc,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  type Instruction,
  lamports,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
  type TransactionSigner,
} from "@solana/kit";
import { newUser, openParent } from "./organization.ts";

const node = process.env.SOLANA_RPC_URL ?? "http://localhost:8899";
const solana = createSolanaRpc(node);
await solana
  .getLatestBlockhash()
  .send()
  .catch(() => {
    console.error(
      `No Solana node answers at ${node}. Start solana-test-validator, or set SOLANA_RPC_URL.`,
    );
    process.exit(1);
  });
const SYSTEM_PROGRAM = address("11111111111111111111111111111111");
const account = {
  curve: "CURVE_ED25519",
  pathFormat: "PATH_FORMAT_BIP32",
  path: "m/44'/501'/0'/0'",
  addressFormat: "ADDRESS_FORMAT_SOLANA",
} as const;

// 1. Ada's wallet in her own sub-organization, and the account that pays fees in yours.
const parent = await openParent();
const [ada, admin, payer] = [newUser("Ada"), newUser("Admin"), newUser("Fee payer")];
const adas = await parent.createSubOrganization({
  subOrganizationName: "Ada's wallet",
  rootQuorumThreshold: 1,
  rootUsers: [ada.params],
  wallet: { walletName: "Main", accounts: [account] },
});
const sponsors = await parent.createSubOrganization({
  subOrganizationName: "Sponsor",
  rootQuorumThreshold: 1,
  rootUsers: [admin.params],
  wallet: { walletName: "Fees", accounts: [account] },
});
const [sponsorAddress = ""] = sponsors.wallet?.addresses ?? [];

// 2. Your program may pay fees. It may not move what the account has, whatever others ask it to sign.
const root = admin.in(sponsors.subOrganizationId);
const { userIds } = await root.createUsers({ users: [{ ...payer.params, userTags: [] }] });
await root.createPolicies({
  policies: [
    {
      policyName: "Pay fees of transfers between others",
      effect: "EFFECT_ALLOW",
      consensus: `approvers.any(user, user.id == '${userIds[0]}')`,
      condition: [
        "activity.kind == 'SIGN_TRANSACTION'",
        `solana.tx.program_keys.all(program, program == '${SYSTEM_PROGRAM}')`,
        `solana.tx.instructions.all(each, each.accounts.all(used, used.account_key != '${sponsorAddress}'))`,
      ].join(" && "),
      notes: "",
    },
  ],
});

// 3. Ada has ten million lamports that somebody sent her, and the sponsor has some for fees.
const adasSigner = await createSolanaSigner(ada.in(adas.subOrganizationId), {
  walletId: adas.wallet?.walletId ?? "",
  path: account.path,
});
const sponsor = await createSolanaSigner(payer.in(sponsors.subOrganizationId), {
  walletId: sponsors.wallet?.walletId ?? "",
  path: account.path,
});
for (const { address: receiver } of [adasSigner, sponsor]) {
  await solana.requestAirdrop(receiver, lamports(10_000_000n)).send();
}

// 4. One transaction, two signatures: Ada's for the transfer, the sponsor's for the fee.
function transfer(from: TransactionSigner, to: Address, amount: bigint): Instruction {
  const data = new Uint8Array(12);
  data[0] = 2; // `Transfer`, the third instruction of the system program
  new DataView(data.buffer).setBigUint64(4, amount, true);
  return {
    programAddress: SYSTEM_PROGRAM,
    accounts: [
      { address: from.address, role: AccountRole.WRITABLE_SIGNER, signer: from },
      { address: to, role: AccountRole.WRITABLE },
    ],
    data,
  } as Instruction;
}

async function send(instruction: Instruction) {
  const { value: latest } = await solana.getLatestBlockhash().send();
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayerSigner(sponsor, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(latest, paid),
    (timed) => appendTransactionMessageInstruction(instruction, timed),
  );
  const signed = await signTransactionMessageWithSigners(message);
  await solana
    .sendTransaction(getBase64EncodedWireTransaction(signed), { encoding: "base64" })
    .send();
}

const shop = address("GjJyeC1r2RgkuoCWMyPYkCWSGSGLcz266EaAkLA27AhL");
await send(transfer(adasSigner, shop, 4_000_000n));
const balance = async (owner: Address) => (await solana.getBalance(owner).send()).value;
console.log(
  `Ada paid 4,000,000 lamports and has ${(await balance(adasSigner.address)).toLocaleString("en")} left`,
);
console.log(
  `The sponsor paid ${(10_000_000n - (await balance(sponsor.address))).toLocaleString("en")} for two signatures`,
);
assert.equal(await balance(adasSigner.address), 6_000_000n);

// 5. A transaction that takes the sponsor's money is not signed.
const refused = await send(transfer(sponsor, adasSigner.address, 1n)).catch((error) => error);
assert(refused instanceof PolicyDenied);
console.log("From the sponsor's account: denied");
