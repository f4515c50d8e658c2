import { page, signer } from "./actors.ts";
import { type Actor, Sequence } from "./Sequence.tsx";

const chain: Actor = {
  name: "Chain",
  inText: "the chain",
  note: "executes it",
  kind: "carrier",
};

function person(name: string, note: string): Actor {
  return { name, inText: name, note, kind: "trusted" };
}

export function TreasurySequence() {
  return (
    <Sequence
      title="A payment that two of three decide. The second approval signs it."
      actors={[person("Ada", "proposes"), person("Bob", "approves"), signer, chain]}
      steps={[
        { from: 0, to: 2, text: "sign_transaction, stamped" },
        { from: 2, to: 2, text: "one of two: waits" },
        { from: 1, to: 1, text: "reads what Ada stamped" },
        { from: 1, to: 2, text: "approve_activity" },
        { from: 2, to: 1, text: "signed transaction" },
        { from: 1, to: 3, text: "sends it" },
      ]}
    />
  );
}

export function PayoutSequence() {
  return (
    <Sequence
      title="A payout by a program. Up to a limit it signs alone, and above it a person has to agree."
      actors={[person("Your program", "books payouts"), signer, person("Ada", "approves")]}
      steps={[
        { from: 0, to: 0, text: "books the payout" },
        { from: 0, to: 1, text: "sign_transaction, 0.005 ETH" },
        { from: 1, to: 0, text: "signed" },
        { from: 0, to: 1, text: "sign_transaction, 0.5 ETH" },
        { from: 1, to: 0, text: "waits for a second person" },
        { from: 2, to: 1, text: "approves what was stamped" },
        { from: 0, to: 1, text: "the same request again" },
        { from: 1, to: 0, text: "signed" },
      ]}
    />
  );
}

export function SweepSequence() {
  return (
    <Sequence
      title="Deposits are swept into one account. The program’s key can send them nowhere else."
      actors={[
        { name: "Customer", inText: "the customer", note: "pays", kind: "carrier" },
        chain,
        person("Sweeper", "your program"),
        signer,
      ]}
      steps={[
        { from: 0, to: 1, text: "pays into an address of their own" },
        { from: 2, to: 1, text: "reads balances and fees" },
        { from: 2, to: 3, text: "transaction to the vault" },
        { from: 3, to: 3, text: "policy: only to the vault" },
        { from: 3, to: 2, text: "signed" },
        { from: 2, to: 1, text: "sends it" },
      ]}
    />
  );
}

export function DelegationSequence() {
  return (
    <Sequence
      title="A user delegates one thing to your backend, which can do it while they’re away."
      actors={[person("Ada", "owns the wallet"), person("Backend", "a user inside"), signer]}
      steps={[
        { from: 1, to: 2, text: "sets up policies, beside Ada" },
        { from: 1, to: 2, text: "leaves the root quorum" },
        { from: 1, to: 2, text: "25 USDC to the merchant" },
        { from: 2, to: 1, text: "signed" },
        { from: 1, to: 2, text: "anything else" },
        { from: 2, to: 1, text: "denied" },
        { from: 0, to: 2, text: "deletes the policy when she likes" },
      ]}
    />
  );
}

export function SponsorSequence() {
  return (
    <Sequence
      title="One transaction with two signatures: the user’s for the transfer, yours for the fee."
      actors={[
        person("Ada", "has no SOL to spare"),
        person("Your program", "pays fees"),
        signer,
        chain,
      ]}
      steps={[
        { from: 0, to: 2, text: "signs the transfer" },
        { from: 0, to: 1, text: "transaction, half signed" },
        { from: 1, to: 2, text: "asks for the fee payer’s signature" },
        { from: 2, to: 2, text: "policy: moves nothing of the sponsor’s" },
        { from: 2, to: 1, text: "signed" },
        { from: 1, to: 3, text: "sends it" },
      ]}
    />
  );
}

export function OfflineSequence() {
  return (
    <Sequence
      title="The key’s machine has no network. Files carry the request there, and the stamp back."
      actors={[
        { name: "Online", inText: "the online machine", note: "has no key", kind: "carrier" },
        person("Offline", "holds the API key"),
        signer,
      ]}
      steps={[
        { from: 0, to: 0, text: "writes request.json" },
        { from: 0, to: 1, text: "request.json, on a stick" },
        { from: 1, to: 1, text: "a person reads it; stamps it" },
        { from: 1, to: 0, text: "stamp.json, on a stick" },
        { from: 0, to: 2, text: "the same bytes and the stamp" },
        { from: 2, to: 2, text: "verifies the stamp" },
      ]}
    />
  );
}

export function MultisigSequence() {
  return (
    <Sequence
      title="A contract with three owners. It pays when two of their signatures come with the call."
      actors={[person("Ada", "an owner"), person("Bob", "an owner"), signer, chain]}
      steps={[
        { from: 0, to: 2, text: "typed data of the payment" },
        { from: 2, to: 0, text: "Ada’s signature" },
        { from: 1, to: 2, text: "the same typed data" },
        { from: 2, to: 1, text: "Bob’s signature" },
        { from: 1, to: 0, text: "his signature" },
        { from: 0, to: 3, text: "execTransaction with both" },
        { from: 3, to: 3, text: "checks both, pays" },
      ]}
    />
  );
}

export function TelegramSequence() {
  return (
    <Sequence
      title="The messenger states who opened the app. After that, the device’s own key decides."
      actors={[
        { name: "Messenger", inText: "the messenger", note: "signs init data", kind: "carrier" },
        page,
        {
          name: "Your server",
          inText: "your server",
          note: "has the bot’s token",
          kind: "carrier",
        },
        signer,
      ]}
      steps={[
        { from: 0, to: 1, text: "init data: the person and the time" },
        { from: 1, to: 1, text: "makes a key" },
        { from: 1, to: 2, text: "init data, public key" },
        { from: 2, to: 2, text: "verifies the init data" },
        { from: 2, to: 3, text: "create_sub_organization" },
        { from: 1, to: 3, text: "sign, stamped by the device’s key" },
      ]}
    />
  );
}
