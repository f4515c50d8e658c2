import { getWallet, listWalletAccounts, type Wallet, type WalletAccount } from "@keyhearth/sdk";
import { Ellipsis, Plus } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import type { ScreenProps } from "../../app/screen.ts";
import { AddressWithCode } from "../../chains/address-with-code.tsx";
import "../../chains/chains.css";
import { nameOfFormat } from "../../chains/formats.ts";
import { Proof } from "../../chains/proof.tsx";
import { statedOfAccount } from "../../chains/stated.ts";
import { Loaded } from "../../data/loaded.tsx";
import { usePages, useRead } from "../../data/read.ts";
import { useCurrent } from "../../session/current.tsx";
import { Button, LinkButton } from "../../ui/button.tsx";
import { Address, CopyText } from "../../ui/copy.tsx";
import { Dialog, DialogActions } from "../../ui/dialog.tsx";
import { Menu } from "../../ui/menu.tsx";
import { Facts, Page, Section } from "../../ui/page.tsx";
import { Pager } from "../../ui/pager.tsx";
import { QrCode } from "../../ui/qr.tsx";
import { Empty } from "../../ui/states.tsx";
import { Table } from "../../ui/table.tsx";
import { Tag } from "../../ui/tag.tsx";
import { Time } from "../../ui/time.tsx";
import { DeleteWallet } from "./delete-wallet.tsx";
import { RenameWallet } from "./rename-wallet.tsx";

const ExportDialog = lazy(async () => ({
  default: (await import("../../secrets/export-dialog.tsx")).ExportDialog,
}));

type Open = "rename" | "export" | "delete" | undefined;

export function Screen({ params }: ScreenProps) {
  const { walletId = "" } = params;
  const read = useRead("get_wallet", getWallet, { walletId });
  const [open, setOpen] = useState<Open>();
  // The screen acts on the wallet of its address, also if the service answers with the id of another one.
  const wallet = read.data && { ...read.data.wallet, walletId };
  const close = () => setOpen(undefined);
  return (
    <Page
      title={wallet?.walletName ?? "Wallet"}
      crumbs={[{ title: "Wallets", to: "/wallets" }]}
      actions={
        wallet && (
          <>
            <LinkButton to={`/wallets/${walletId}/add`} kind="primary">
              <Plus size={16} aria-hidden />
              Add accounts
            </LinkButton>
            <Menu
              label="What can be done with the wallet"
              trigger={
                <Button isIcon aria-label="More">
                  <Ellipsis size={18} aria-hidden />
                </Button>
              }
              entries={[
                { id: "rename", label: "Rename", onAction: () => setOpen("rename") },
                {
                  ...{ id: "export", label: "Show the recovery phrase" },
                  onAction: () => setOpen("export"),
                },
                "separator",
                {
                  ...{ id: "delete", label: "Delete the wallet", isDanger: true },
                  onAction: () => setOpen("delete"),
                },
              ]}
            />
          </>
        )
      }
    >
      <div className="card">
        <Loaded query={read} what="the wallet">
          {(answer) => <WalletFacts wallet={{ ...answer.wallet, walletId }} />}
        </Loaded>
      </div>
      <Accounts walletId={walletId} />
      {wallet && (
        <>
          {open === "rename" && <RenameWallet wallet={wallet} onClose={close} />}
          {open === "export" && (
            <Suspense>
              <ExportDialog what={{ kind: "wallet", walletId }} onClose={close} />
            </Suspense>
          )}
          <DeleteWallet wallet={wallet} isOpen={open === "delete"} onClose={close} />
        </>
      )}
    </Page>
  );
}

function WalletFacts({ wallet }: { wallet: Wallet }) {
  const { walletId, createdAt, imported, exported } = wallet;
  return (
    <Facts
      facts={[
        ["Id", <CopyText key="id" text={walletId} label="Copy the wallet id" />],
        ["Created", <Time key="created" at={createdAt} />],
        [
          "Seed",
          <span className="row" key="seed">
            {imported ? "Imported: its owner may have copies." : "Made by the signer."}
            {exported ? <Tag tone="warning">Exported</Tag> : <Tag tone="good">Never exported</Tag>}
          </span>,
        ],
      ]}
    />
  );
}

function Accounts({ walletId }: { walletId: string }) {
  const { organizationId } = useCurrent().session;
  const { query, pages } = usePages(
    "list_wallet_accounts",
    listWalletAccounts,
    { walletId },
    { idsOf: ({ accounts }) => accounts.map(({ walletAccountId }) => walletAccountId) },
  );
  const [shown, show] = useState<WalletAccount>();
  return (
    <Section title="Accounts">
      <Loaded query={query} what="accounts">
        {({ accounts }) =>
          accounts.length === 0 ? (
            <Empty
              title={pages.number === 1 ? "This wallet has no accounts yet" : "There are no more"}
              action={<LinkButton to={`/wallets/${walletId}/add`}>Add accounts</LinkButton>}
            >
              An account is a key of the wallet, with an address.
            </Empty>
          ) : (
            <Table
              label="Accounts"
              rows={accounts}
              keyOf={({ walletAccountId }) => walletAccountId}
              hrefOf={({ address }) => `/wallets/${walletId}/${encodeURIComponent(address)}`}
              columns={[
                {
                  name: "Account",
                  cell: ({ name, addressFormat }) =>
                    name === undefined ? (
                      nameOfFormat(addressFormat)
                    ) : (
                      <>
                        {name} <span className="faint">{nameOfFormat(addressFormat)}</span>
                      </>
                    ),
                  isMain: true,
                },
                {
                  name: "Address",
                  cell: (account) => (
                    <AddressWithCode address={account.address} onShow={() => show(account)} />
                  ),
                },
                {
                  name: "Statement",
                  cell: (account) => (
                    <Proof stated={statedOfAccount({ ...account, walletId }, organizationId)} />
                  ),
                },
                {
                  name: "Path",
                  cell: ({ path }) => <span className="mono">{path}</span>,
                },
              ]}
            />
          )
        }
      </Loaded>
      <Pager {...pages} />
      <Dialog
        title={shown ? (shown.name ?? nameOfFormat(shown.addressFormat)) : "Address"}
        isOpen={shown !== undefined}
        onClose={() => show(undefined)}
      >
        {shown && (
          <>
            <QrCode text={shown.address} label={`QR code of ${shown.address}`} />
            <Address address={shown.address} isWhole />
            <div>
              <Proof stated={statedOfAccount({ ...shown, walletId }, organizationId)} />
            </div>
          </>
        )}
        <DialogActions>
          <Button onPress={() => show(undefined)}>Close</Button>
        </DialogActions>
      </Dialog>
    </Section>
  );
}
