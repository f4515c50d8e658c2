import { getPrivateKey, type PrivateKey } from "@keyhearth/sdk";
import { Ellipsis } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import type { ScreenProps } from "../../app/screen.ts";
import { AddressWithCode } from "../../chains/address-with-code.tsx";
import "../../chains/chains.css";
import { nameOfCurve, nameOfFormat } from "../../chains/formats.ts";
import { Proof, useKeyVerdict } from "../../chains/proof.tsx";
import { statedOfKey } from "../../chains/stated.ts";
import { Loaded } from "../../data/loaded.tsx";
import { useRead } from "../../data/read.ts";
import { useCurrent } from "../../session/current.tsx";
import { SigningTabs } from "../../signing/signing-tabs.tsx";
import { Button } from "../../ui/button.tsx";
import { Address, CopyText } from "../../ui/copy.tsx";
import { Dialog, DialogActions } from "../../ui/dialog.tsx";
import { Menu } from "../../ui/menu.tsx";
import { Facts, Page, Section } from "../../ui/page.tsx";
import { QrCode } from "../../ui/qr.tsx";
import { Empty } from "../../ui/states.tsx";
import { Table } from "../../ui/table.tsx";
import { Tag } from "../../ui/tag.tsx";
import { Time } from "../../ui/time.tsx";
import { DeleteKey } from "./delete-key.tsx";
import { TagsOfKey } from "./tags-of-key.tsx";

const ExportDialog = lazy(async () => ({
  default: (await import("../../secrets/export-dialog.tsx")).ExportDialog,
}));

export function Screen({ params }: ScreenProps) {
  const { privateKeyId = "" } = params;
  const read = useRead("get_private_key", getPrivateKey, { privateKeyId });
  const [open, setOpen] = useState<"export" | "delete">();
  const key = read.data?.privateKey;
  const close = () => setOpen(undefined);
  return (
    <Page
      title={key?.privateKeyName ?? "Private key"}
      crumbs={[{ title: "Private keys", to: "/keys" }]}
      actions={
        key && (
          <Menu
            label="What can be done with the key"
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
                ...{ id: "delete", label: "Delete the key", isDanger: true },
                onAction: () => setOpen("delete"),
              },
            ]}
          />
        )
      }
    >
      <Loaded query={read} what="the private key">
        {/* The screen is about the key of its address: another one's answer is then not proven, and signs nothing. */}
        {({ privateKey }) => <Shown privateKey={{ ...privateKey, privateKeyId }} />}
      </Loaded>
      {key && open === "export" && (
        <Suspense>
          <ExportDialog
            what={{
              ...{ kind: "key", privateKeyId, curve: key.curve },
              format: key.addresses[0]?.format,
            }}
            onClose={close}
          />
        </Suspense>
      )}
      {key && (
        <DeleteKey
          privateKey={{ ...key, privateKeyId }}
          isOpen={open === "delete"}
          onClose={close}
        />
      )}
    </Page>
  );
}

function Shown({ privateKey }: { privateKey: PrivateKey }) {
  const { organizationId } = useCurrent().session;
  const { privateKeyId, publicKey, curve, addresses, createdAt, imported, exported } = privateKey;
  const [shown, show] = useState<PrivateKey["addresses"][number]>();
  const verdict = useKeyVerdict(privateKey, organizationId);
  return (
    <>
      <div className="card">
        <Facts
          facts={[
            ["Id", <CopyText key="id" text={privateKeyId} label="Copy the id of the key" />],
            ["Curve", nameOfCurve(curve)],
            [
              "Public key",
              <span className="row" key="key">
                <CopyText text={publicKey} label="Copy the public key" />
                {verdict === "not proven" && (
                  <Tag tone="warning">Not proven: no address of it has the signer’s statement</Tag>
                )}
              </span>,
            ],
            ["Created", <Time key="created" at={createdAt} />],
            [
              "Copies",
              <span className="row" key="copies">
                {imported ? "Imported: its owner may have copies." : "Made by the signer."}
                {exported ? (
                  <Tag tone="warning">Exported</Tag>
                ) : (
                  <Tag tone="good">Never exported</Tag>
                )}
              </span>,
            ],
            ["Tags", <TagsOfKey key="tags" privateKey={privateKey} />],
          ]}
        />
      </div>
      <Section title="Addresses">
        {addresses.length === 0 ? (
          <Empty title="It has no addresses">
            Its id signs. Formats of addresses are chosen when a key is made.
          </Empty>
        ) : (
          <Table
            label="Addresses"
            rows={addresses}
            keyOf={({ format }) => format}
            columns={[
              { name: "Chain", cell: ({ format }) => nameOfFormat(format), isMain: true },
              {
                name: "Address",
                cell: (each) => (
                  <AddressWithCode address={each.address} onShow={() => show(each)} />
                ),
              },
              {
                name: "Statement",
                cell: (each) => <Proof stated={statedOfKey(privateKey, each, organizationId)} />,
              },
            ]}
          />
        )}
      </Section>
      <Section title="Sign">
        <SigningTabs
          signer={{
            ...{ signWith: privateKeyId, curve, format: addresses[0]?.format },
            // A signature by a key that is not proven says nothing.
            publicKey: verdict === "counts" ? publicKey : undefined,
          }}
        />
      </Section>
      <Dialog title="Address" isOpen={shown !== undefined} onClose={() => show(undefined)}>
        {shown !== undefined && (
          <>
            <QrCode text={shown.address} label={`QR code of ${shown.address}`} />
            <Address address={shown.address} isWhole />
            <div>
              <Proof stated={statedOfKey(privateKey, shown, organizationId)} />
            </div>
          </>
        )}
        <DialogActions>
          <Button onPress={() => show(undefined)}>Close</Button>
        </DialogActions>
      </Dialog>
    </>
  );
}
