import {
  type DeleteWalletAccountsIntent,
  deleteWalletAccounts,
  getWallet,
  getWalletAccount,
  type WalletAccount,
} from "@keyhearth/sdk";
import { Ellipsis } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { useLocation } from "wouter";
import type { ScreenProps } from "../../app/screen.ts";
import "../../chains/chains.css";
import { nameOfCurve, nameOfFormat } from "../../chains/formats.ts";
import { Proof } from "../../chains/proof.tsx";
import { statedOfAccount } from "../../chains/stated.ts";
import { Loaded } from "../../data/loaded.tsx";
import { useRead } from "../../data/read.ts";
import { useSubmit } from "../../data/submit.ts";
import { DeleteDialog } from "../../secrets/delete-dialog.tsx";
import { useCurrent } from "../../session/current.tsx";
import { SigningTabs } from "../../signing/signing-tabs.tsx";
import { Button } from "../../ui/button.tsx";
import { Address, CopyText } from "../../ui/copy.tsx";
import { Menu } from "../../ui/menu.tsx";
import { Facts, Page, Section } from "../../ui/page.tsx";
import { QrCode } from "../../ui/qr.tsx";
import { Time } from "../../ui/time.tsx";

const ExportDialog = lazy(async () => ({
  default: (await import("../../secrets/export-dialog.tsx")).ExportDialog,
}));

export function Screen({ params }: ScreenProps) {
  const { walletId = "", address = "" } = params;
  const wallet = useRead("get_wallet", getWallet, { walletId });
  const read = useRead("get_wallet_account", getWalletAccount, { walletId, address });
  const account = read.data?.account;
  const [open, setOpen] = useState<"export" | "delete">();
  const close = () => setOpen(undefined);
  const title = account ? (account.name ?? nameOfFormat(account.addressFormat)) : "Account";
  return (
    <Page
      title={title}
      crumbs={[
        { title: "Wallets", to: "/wallets" },
        { title: wallet.data?.wallet.walletName ?? "Wallet", to: `/wallets/${walletId}` },
      ]}
      actions={
        account && (
          <Menu
            label="What can be done with the account"
            trigger={
              <Button isIcon aria-label="More">
                <Ellipsis size={18} aria-hidden />
              </Button>
            }
            entries={[
              {
                ...{ id: "export", label: "Show the private key" },
                onAction: () => setOpen("export"),
              },
              "separator",
              {
                ...{ id: "delete", label: "Delete the account", isDanger: true },
                onAction: () => setOpen("delete"),
              },
            ]}
          />
        )
      }
    >
      <Loaded query={read} what="the account">
        {/* The screen is about the wallet of its address: an account of another one is then not proven. */}
        {({ account }) => <Shown account={{ ...account, walletId }} />}
      </Loaded>
      {account && open === "export" && (
        <Suspense>
          <ExportDialog
            what={{
              kind: "account",
              address: account.address,
              curve: account.curve,
              format: account.addressFormat,
            }}
            onClose={close}
          />
        </Suspense>
      )}
      {account && (
        <DeleteAccount
          account={account}
          hasCopy={wallet.data?.wallet.exported === true}
          isOpen={open === "delete"}
          onClose={close}
        />
      )}
    </Page>
  );
}

function Shown({ account }: { account: WalletAccount }) {
  const { organizationId } = useCurrent().session;
  const { address, addressFormat: format, curve, path, publicKey, createdAt } = account;
  return (
    <>
      <div className="card account-head">
        <Facts
          facts={[
            ["Address", <Address key="address" address={address} isWhole />],
            ["Statement", <Proof key="proof" stated={statedOfAccount(account, organizationId)} />],
            ["Chain", nameOfFormat(format)],
            ["Curve", nameOfCurve(curve)],
            [
              "Path",
              <span key="path" className="mono">
                {path}
              </span>,
            ],
            [
              "Public key",
              publicKey ? (
                <CopyText key="key" text={publicKey} label="Copy the public key" />
              ) : (
                "Not shown by the service"
              ),
            ],
            ["Created", <Time key="created" at={createdAt} />],
          ]}
        />
        <QrCode text={address} label={`QR code of ${address}`} />
      </div>
      {publicKey !== undefined && (
        <Section title="Sign">
          <SigningTabs signer={{ signWith: address, curve, publicKey, format }} />
        </Section>
      )}
    </>
  );
}

function DeleteAccount({
  account,
  hasCopy,
  isOpen,
  onClose,
}: {
  account: WalletAccount;
  hasCopy: boolean;
  isOpen: boolean;
  onClose: () => void;
}) {
  const { walletId, walletAccountId, address } = account;
  const [, navigate] = useLocation();
  const { submit, error } = useSubmit(
    (connection, parameters: DeleteWalletAccountsIntent) =>
      deleteWalletAccounts(connection, parameters),
    {
      done: "The account is deleted",
      onSent: ({ kind }) => {
        if (kind === "done") navigate(`/wallets/${walletId}`, { replace: true });
      },
    },
  );
  return (
    <DeleteDialog
      {...{ isOpen, onClose, hasCopy, error }}
      title="Delete the account?"
      action="Delete the account"
      typed={address.slice(-6)}
      lost="what its address holds, unless the wallet stays and derives it again,"
      onDelete={async (deleteWithoutExport) => {
        const parameters = { walletAccountIds: [walletAccountId], deleteWithoutExport };
        return (await submit(parameters)) !== undefined;
      }}
    />
  );
}
