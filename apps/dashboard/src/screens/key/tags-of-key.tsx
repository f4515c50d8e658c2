import {
  listPrivateKeyTags,
  type PrivateKey,
  type UpdatePrivateKeyTagIntent,
  updatePrivateKeyTag,
} from "@keyhearth/sdk";
import { Plus, X } from "lucide-react";
import { Link } from "wouter";
import { useRead } from "../../data/read.ts";
import { useSubmit } from "../../data/submit.ts";
import { Button } from "../../ui/button.tsx";
import { Menu } from "../../ui/menu.tsx";
import { Tag } from "../../ui/tag.tsx";

/** The tags of one key. Each change is one activity, which policies decide about. */
export function TagsOfKey({ privateKey }: { privateKey: PrivateKey }) {
  const { privateKeyId, privateKeyTags } = privateKey;
  const tags = useRead("list_private_key_tags", listPrivateKeyTags, {});
  const { submit, isBusy } = useSubmit(
    (connection, parameters: UpdatePrivateKeyTagIntent) =>
      updatePrivateKeyTag(connection, parameters),
    { done: "The tags of the key are changed" },
  );
  const change = (privateKeyTagId: string, isAdded: boolean) =>
    void submit({
      privateKeyTagId,
      addPrivateKeyIds: isAdded ? [privateKeyId] : [],
      removePrivateKeyIds: isAdded ? [] : [privateKeyId],
    });
  const known = tags.data?.privateKeyTags ?? [];
  const others = known.filter(({ tagId }) => !privateKeyTags.includes(tagId));
  if (known.length === 0) {
    return (
      <span className="faint">
        None. <Link href="/keys">Make a tag</Link> in the list of keys.
      </span>
    );
  }
  return (
    <span className="row">
      {privateKeyTags.map((id) => {
        const name = known.find(({ tagId }) => tagId === id)?.tagName ?? id;
        return (
          <Tag key={id}>
            {name}
            <Button
              kind="quiet"
              isSmall
              isIcon
              isDisabled={isBusy}
              aria-label={`Remove the tag ${name}`}
              onPress={() => change(id, false)}
            >
              <X size={13} aria-hidden />
            </Button>
          </Tag>
        );
      })}
      {others.length > 0 && (
        <Menu
          label="Tags to add"
          trigger={
            <Button isSmall isDisabled={isBusy}>
              <Plus size={15} aria-hidden />
              Add a tag
            </Button>
          }
          entries={others.map(({ tagId, tagName }) => ({
            ...{ id: tagId, label: tagName },
            onAction: () => change(tagId, true),
          }))}
        />
      )}
    </span>
  );
}
