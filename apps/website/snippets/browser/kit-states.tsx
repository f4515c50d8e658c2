import { KeyhearthError, PolicyDenied, Rejected, Unavailable } from "@keyhearth/sdk";
import {
  Auth,
  ConfirmTransaction,
  Export,
  google,
  Import,
  type KitOptions,
  SignMessage,
} from "@keyhearth/sdk/react/kit";
import type { ReactElement } from "react";

/** One state of a component, as the gallery shows it and the tests look at it. */
export type KitState = {
  component: "Auth" | "Export" | "Import" | "SignMessage" | "ConfirmTransaction";
  /** In `gallery-texts.ts`. */
  name: string;
  show(options: KitOptions): ReactElement;
};

const error = (code: string, serviceMessage: string) =>
  new KeyhearthError(serviceMessage, { code, serviceMessage });
const offline = new Unavailable("nobody answered", { code: "NETWORK" });
const closed = error("FEATURE_DISABLED", "nobody logs in here");
const wrongCode = error(
  "OTP_INVALID",
  "Invalid OTP code: it is wrong; attempts left at this code: 2",
);
const expired = error("OTP_INVALID", "Invalid OTP code: it has expired; ask for a new code");
const denied = new PolicyDenied("no policy allows this", { code: "POLICY_DENIED" });
const rejected = new Rejected("somebody rejected it", { code: "ACTIVITY_REJECTED" });
const ended = error("SESSION_ENDED", "the session has ended");

const methods = ["email", "passkey", google, "wallet"] as const;
const wallets = [{ name: "Frame Wallet", ethereum: { request: () => Promise.reject() } }];
const auth = (
  name: string,
  preview: NonNullable<Parameters<typeof Auth>[0]["preview"]>,
): KitState => ({
  component: "Auth",
  name,
  show: (options) => (
    <Auth {...options} methods={methods} wallets={wallets} termsUrl="#terms" preview={preview} />
  ),
});

const walletId = "00000000-0000-4000-8000-000000000000";
const exported = (
  name: string,
  preview: NonNullable<Parameters<typeof Export>[0]["preview"]>,
): KitState => ({
  component: "Export",
  name,
  show: (options) => <Export {...options} walletId={walletId} preview={preview} />,
});

const imported = (
  name: string,
  kind: "wallet" | "private-key",
  preview: NonNullable<Parameters<typeof Import>[0]["preview"]>,
): KitState => ({
  component: "Import",
  name,
  show: (options) => <Import {...options} kind={kind} preview={preview} />,
});

const address = "0x8ba1f109551bD432803012645Ac136ddd64DBA72";
const account = { address, addressFormat: "ADDRESS_FORMAT_ETHEREUM" } as const;
const message = "example.com asks you to log in.\n\nNonce: 7f3c19a2\nIssued: 2026-12-01T09:30:00Z";
const signature = `0x${"5d3b".repeat(32)}1c`;
type Signing = NonNullable<Parameters<typeof SignMessage>[0]["preview"]>;
const signing = (name: string, preview: Signing): KitState => ({
  component: "SignMessage",
  name,
  show: (options) => (
    <SignMessage {...options} account={account} message={message} preview={preview} />
  ),
});

/** 0.25 ETH to somebody on Ethereum. */
const payment =
  "02f0010a843b9aca008506fc23ac0082520894742d35cc6634c0532925a3b844bc454e4438f44e8803782dace9d9000080c0";
/** An approval of a token without a limit, on Base. */
const approval =
  "02f86d82210503830f42408402faf08082d6d894833589fcd6edb6e08f4c7c32d4f71b54bda0291380b844095ea7b3000000000000000000000000e592427a0aece92de3edee1f18e0157c05861564ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc0";
/** A call that nobody can read. */
const call =
  "02f84d0105843b9aca008506fc23ac00830186a094111111125421ca6dc452d289314280a0f8842a6580a40758e3f10000000000000000000000000000000000000000000000000000000000000001c0";

const confirming = (name: string, unsignedTransaction: string, preview: Signing): KitState => ({
  component: "ConfirmTransaction",
  name,
  show: (options) => (
    <ConfirmTransaction
      {...options}
      signWith={address}
      type="TRANSACTION_TYPE_ETHEREUM"
      unsignedTransaction={unsignedTransaction}
      preview={preview}
    />
  ),
});

/** Every component in every state. */
export const states: readonly KitState[] = [
  auth("start", {}),
  auth("prompt", { busy: "passkey" }),
  auth("signUp", { step: "sign-up" }),
  auth("code", { step: "code" }),
  auth("wrongCode", { step: "code", error: wrongCode }),
  auth("expired", { step: "code", error: expired }),
  auth("offline", { error: offline }),
  auth("closed", { error: closed, isClosed: true }),
  auth("done", { step: "done" }),
  exported("warning", {}),
  exported("working", { busy: true }),
  exported("shown", { step: "shown" }),
  exported("hidden", { step: "hidden" }),
  exported("denied", { error: denied }),
  imported("wallet", "wallet", {}),
  imported("privateKey", "private-key", {}),
  imported("working", "wallet", { busy: true }),
  imported("ended", "wallet", { error: ended }),
  imported("done", "wallet", { step: "done" }),
  signing("start", {}),
  signing("working", { busy: true }),
  signing("waiting", { busy: true, waiting: walletId }),
  signing("denied", { error: denied }),
  signing("done", { result: signature }),
  confirming("payment", payment, {}),
  confirming("approval", approval, {}),
  confirming("unread", call, {}),
  confirming("noTransaction", "c0ffee", {}),
  confirming("rejected", payment, { error: rejected }),
  confirming("done", payment, { result: `0x02f873${"a1".repeat(60)}` }),
];
