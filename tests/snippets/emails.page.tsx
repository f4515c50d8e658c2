import { type Connection, createWalletAccounts, whoami } from "@keyhearth/sdk";
import { SessionKeeper, type SessionKeeperOptions } from "@keyhearth/sdk/browser";
import { createTargetKey } from "@keyhearth/sdk/crypto";
import { KeyhearthProvider } from "@keyhearth/sdk/react";
import { createRoot } from "react-dom/client";
import * as login from "../../apps/website/snippets/browser/email-login.ts";
import { exportAccount } from "../../apps/website/snippets/browser/export-account.ts";
import { exportKey } from "../../apps/website/snippets/browser/export-private-key.ts";
import { exportWords } from "../../apps/website/snippets/browser/export-wallet.ts";
import { importHexKey } from "../../apps/website/snippets/browser/import-private-key.ts";
import { importSolanaKey } from "../../apps/website/snippets/browser/import-solana-key.ts";
import { importWords } from "../../apps/website/snippets/browser/import-wallet.ts";
import { EmailLogin } from "../../apps/website/snippets/browser/react-email-login.tsx";
import { sendWithEthers } from "../../apps/website/snippets/browser/send-with-ethers.ts";
import { sendWithViem } from "../../apps/website/snippets/browser/send-with-viem.ts";
import { showSecret } from "../../apps/website/snippets/browser/show-secret.ts";
import { signForSolana } from "../../apps/website/snippets/browser/sign-for-solana.ts";

// A page with the samples of the site. It is bundled and runs in a browser.

/** What a page of the test is opened with: plain data. */
export type PageOptions = Omit<SessionKeeperOptions, "fetch" | "storage">;

type Request = Parameters<login.EmailBackend["sendLoginMail"]>[0];

let keeper: SessionKeeper | undefined;

export const app = {
  createTargetKey,
  login,
  showSecret,
  importWords,
  importHexKey,
  importSolanaKey,
  exportWords,
  exportAccount,
  exportKey,
  sendWithViem,
  sendWithEthers,
  signForSolana,
  backend: { sendLoginMail: (request: Request) => window.sendLoginMail(request) },

  get keeper() {
    if (!keeper) throw new Error("the page has not opened its keeper");
    return keeper;
  },

  get connection(): Connection {
    return app.keeper.connection();
  },

  /** What a page does when it starts. Returns who is logged in. */
  async open(options: PageOptions) {
    keeper = new SessionKeeper(options);
    await keeper.restore();
    return keeper.session ? (await whoami(keeper.connection())).username : undefined;
  },

  async newSolanaAccount(walletId: string): Promise<string> {
    const { addresses } = await createWalletAccounts(app.connection, {
      walletId,
      accounts: [
        {
          curve: "CURVE_ED25519",
          pathFormat: "PATH_FORMAT_BIP32",
          path: "m/44'/501'/0'/0'",
          addressFormat: "ADDRESS_FORMAT_SOLANA",
        },
      ],
    });
    return addresses[0] ?? "";
  },

  render(options: PageOptions) {
    const root = document.body.appendChild(document.createElement("main"));
    createRoot(root).render(
      <KeyhearthProvider options={options}>
        <EmailLogin backend={app.backend} />
      </KeyhearthProvider>,
    );
  },
};

declare global {
  interface Window {
    emails: typeof app;
    /** The app's server, which the test plays. */
    sendLoginMail(request: Request): Promise<void>;
  }
}

window.emails = app;
