import { listWallets, type Wallet } from "@keyhearth/sdk";
import { Download, Plus } from "lucide-react";
import "../../chains/chains.css";
import { Loaded } from "../../data/loaded.tsx";
import { useRead } from "../../data/read.ts";
import { LinkButton } from "../../ui/button.tsx";
import { CopyText } from "../../ui/copy.tsx";
import { Page } from "../../ui/page.tsx";
import { SearchedList } from "../../ui/searched-list.tsx";
import { Empty } from "../../ui/states.tsx";
import { Table } from "../../ui/table.tsx";
import { Tag } from "../../ui/tag.tsx";
import { Time } from "../../ui/time.tsx";
import { FindAddress } from "./find-address.tsx";

export function Screen() {
  const read = useRead("list_wallets", listWallets, {});
  return (
    <Page
      title="Wallets"
      intro="A wallet is one seed. Each account of it is a key, with an address of one chain."
      actions={
        <>
          <LinkButton to="/wallets/import">
            <Download size={16} aria-hidden />
            Import
          </LinkButton>
          <LinkButton to="/wallets/new" kind="primary">
            <Plus size={16} aria-hidden />
            Create a wallet
          </LinkButton>
        </>
      }
    >
      <Loaded query={read} what="wallets">
        {({ wallets }) =>
          wallets.length === 0 ? (
            <Empty
              title="There are no wallets yet"
              action={<LinkButton to="/wallets/new">Create the first wallet</LinkButton>}
            >
              The signer makes the seed, and keeps it. You can export it later.
            </Empty>
          ) : (
            <Wallets wallets={wallets} />
          )
        }
      </Loaded>
    </Page>
  );
}

function Wallets({ wallets }: { wallets: readonly Wallet[] }) {
  return (
    <SearchedList
      items={wallets}
      textsOf={({ walletId, walletName }) => [walletName, walletId]}
      label="Search for a wallet"
      placeholder="Name, id or address"
    >
      {(page, sought) => {
        if (page.length === 0 && looksLikeAddress(sought)) {
          return <FindAddress key={sought} address={sought} wallets={wallets} />;
        }
        if (page.length === 0) {
          return (
            <Empty title="No wallet has this in its name or id">
              Enter a whole address to find its account.
            </Empty>
          );
        }
        return (
          <Table
            label="Wallets"
            rows={page}
            keyOf={({ walletId }) => walletId}
            hrefOf={({ walletId }) => `/wallets/${walletId}`}
            columns={[
              { name: "Name", cell: ({ walletName }) => walletName, isMain: true },
              {
                name: "Id",
                cell: ({ walletId }) => <CopyText text={walletId} label="Copy the id" />,
              },
              { name: "Seed", cell: (wallet) => <Seed wallet={wallet} /> },
              { name: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
            ]}
          />
        );
      }}
    </SearchedList>
  );
}

function Seed({ wallet: { imported, exported } }: { wallet: Wallet }) {
  if (!imported && !exported) return <Tag tone="good">Only in the signer</Tag>;
  return (
    <span className="row">
      {imported && <Tag>Imported</Tag>}
      {exported && <Tag tone="warning">Exported</Tag>}
    </span>
  );
}

/** The shortest addresses have 25 characters, and names can be as long: those are found by their names. */
function looksLikeAddress(text: string): boolean {
  return /^[\w-]{25,256}$/.test(text);
}
