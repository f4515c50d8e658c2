import {
  type Tag as KeyTag,
  listPrivateKeys,
  listPrivateKeyTags,
  type PrivateKey,
} from "@keyhearth/sdk";
import { Download, Plus } from "lucide-react";
import { useState } from "react";
import "../../chains/chains.css";
import { nameOfCurve } from "../../chains/formats.ts";
import { ProvenAddress } from "../../chains/proof.tsx";
import { statedOfKey } from "../../chains/stated.ts";
import { Loaded } from "../../data/loaded.tsx";
import { useRead } from "../../data/read.ts";
import { useCurrent } from "../../session/current.tsx";
import { LinkButton } from "../../ui/button.tsx";
import { Select } from "../../ui/choices.tsx";
import { Page } from "../../ui/page.tsx";
import { SearchedList } from "../../ui/searched-list.tsx";
import { Empty } from "../../ui/states.tsx";
import { Table } from "../../ui/table.tsx";
import { Tag } from "../../ui/tag.tsx";
import { Time } from "../../ui/time.tsx";
import { Tags } from "./tags.tsx";

export function Screen() {
  const read = useRead("list_private_keys", listPrivateKeys, {});
  const tags = useRead("list_private_key_tags", listPrivateKeyTags, {});
  const known = tags.data?.privateKeyTags ?? [];
  return (
    <Page
      title="Private keys"
      intro="A private key stands alone: it belongs to no wallet, and comes from no seed."
      actions={
        <>
          <LinkButton to="/keys/import">
            <Download size={16} aria-hidden />
            Import
          </LinkButton>
          <LinkButton to="/keys/new" kind="primary">
            <Plus size={16} aria-hidden />
            Create a key
          </LinkButton>
        </>
      }
    >
      <Loaded query={read} what="private keys">
        {({ privateKeys }) =>
          privateKeys.length === 0 ? (
            <Empty
              title="There are no private keys yet"
              action={<LinkButton to="/keys/new">Create the first key</LinkButton>}
            >
              Most people need wallets. Private keys are for keys that exist already, and for
              programs that sign with one key.
            </Empty>
          ) : (
            <Keys keys={privateKeys} tags={known} />
          )
        }
      </Loaded>
      <Tags query={tags} keys={read.data?.privateKeys ?? []} />
    </Page>
  );
}

const ALL = "all";

function Keys({ keys, tags }: { keys: readonly PrivateKey[]; tags: readonly KeyTag[] }) {
  const { organizationId } = useCurrent().session;
  const [chosen, setTag] = useState(ALL);
  const names = new Map(tags.map(({ tagId, tagName }) => [tagId, tagName]));
  const tagId = names.has(chosen) ? chosen : ALL;
  const filter = tags.length > 0 && (
    <Select
      label="Tag"
      options={[
        { id: ALL, label: "All keys" },
        ...tags.map(({ tagId: id, tagName: label }) => ({ id, label })),
      ]}
      value={tagId}
      onChange={(key) => setTag(String(key))}
    />
  );
  return (
    <SearchedList
      items={keys.filter(({ privateKeyTags }) => tagId === ALL || privateKeyTags.includes(tagId))}
      textsOf={({ privateKeyId, privateKeyName, addresses }) => [
        privateKeyName,
        privateKeyId,
        ...addresses.map(({ address }) => address),
      ]}
      label="Search for a private key"
      placeholder="Name, id or address"
      filter={filter}
    >
      {(page) =>
        page.length === 0 ? (
          <Empty title="No private key is like this">
            Enter a part of its name, of its id or of one of its addresses.
          </Empty>
        ) : (
          <Table
            label="Private keys"
            rows={page}
            keyOf={({ privateKeyId }) => privateKeyId}
            hrefOf={({ privateKeyId }) => `/keys/${privateKeyId}`}
            columns={[
              { name: "Name", cell: ({ privateKeyName }) => privateKeyName, isMain: true },
              { name: "Curve", cell: ({ curve }) => nameOfCurve(curve) },
              {
                name: "Address",
                cell: (key) => {
                  const [shown] = key.addresses;
                  if (!shown) return <span className="faint">None</span>;
                  return <ProvenAddress stated={statedOfKey(key, shown, organizationId)} />;
                },
              },
              {
                name: "Tags",
                cell: ({ privateKeyTags }) => (
                  <span className="row">
                    {privateKeyTags.map((id) => (
                      <Tag key={id}>{names.get(id) ?? id}</Tag>
                    ))}
                  </span>
                ),
              },
              { name: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
            ]}
          />
        )
      }
    </SearchedList>
  );
}
