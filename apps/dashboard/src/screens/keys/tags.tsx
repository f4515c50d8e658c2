import {
  createPrivateKeyTag,
  type DeletePrivateKeyTagsIntent,
  deletePrivateKeyTags,
  type ListPrivateKeyTagsResponse,
  type PrivateKey,
  type Tag,
  updatePrivateKeyTag,
} from "@keyhearth/sdk";
import type { UseQueryResult } from "@tanstack/react-query";
import { Pencil, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { Loaded } from "../../data/loaded.tsx";
import { useSubmit } from "../../data/submit.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog, Dialog, DialogActions } from "../../ui/dialog.tsx";
import { FormText } from "../../ui/form-text.tsx";
import { Section } from "../../ui/page.tsx";
import { Empty, FormProblem } from "../../ui/states.tsx";
import { Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";

/** The tags of private keys. Policies can name them. */
export function Tags({
  query,
  keys,
}: {
  query: UseQueryResult<ListPrivateKeyTagsResponse>;
  keys: readonly PrivateKey[];
}) {
  const [named, setNamed] = useState<Tag | "new">();
  const [deleted, setDeleted] = useState<Tag>();
  const { submit } = useSubmit(
    (connection, parameters: DeletePrivateKeyTagsIntent) =>
      deletePrivateKeyTags(connection, parameters),
    { done: "The tag is deleted" },
  );
  const countOf = ({ tagId }: Tag) =>
    keys.filter(({ privateKeyTags }) => privateKeyTags.includes(tagId)).length;
  return (
    <Section
      title="Tags"
      actions={
        <Button isSmall onPress={() => setNamed("new")}>
          <Plus size={15} aria-hidden />
          New tag
        </Button>
      }
    >
      <Loaded query={query} what="tags" lines={2}>
        {({ privateKeyTags }) =>
          privateKeyTags.length === 0 ? (
            <Empty title="There are no tags yet">
              With tags, one policy covers several keys, such as all of a treasury.
            </Empty>
          ) : (
            <Table
              label="Tags of private keys"
              rows={privateKeyTags}
              keyOf={({ tagId }) => tagId}
              columns={[
                { name: "Tag", cell: ({ tagName }) => <strong>{tagName}</strong>, isMain: true },
                { name: "Keys", cell: countOf, isNumber: true },
                { name: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
                {
                  name: "Change",
                  cell: (tag) => (
                    <span className="row">
                      <Button
                        kind="quiet"
                        isSmall
                        isIcon
                        aria-label={`Rename ${tag.tagName}`}
                        onPress={() => setNamed(tag)}
                      >
                        <Pencil size={15} aria-hidden />
                      </Button>
                      <Button
                        kind="quiet"
                        isSmall
                        isIcon
                        aria-label={`Delete ${tag.tagName}`}
                        onPress={() => setDeleted(tag)}
                      >
                        <Trash2 size={15} aria-hidden />
                      </Button>
                    </span>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
      {named && (
        <NameTag tag={named === "new" ? undefined : named} onClose={() => setNamed(undefined)} />
      )}
      <ConfirmDialog
        title={`Delete the tag ${deleted?.tagName ?? ""}?`}
        isOpen={deleted !== undefined}
        onClose={() => setDeleted(undefined)}
        action="Delete the tag"
        onConfirm={async () =>
          deleted && (await submit({ privateKeyTagIds: [deleted.tagId] })) !== undefined
        }
      >
        <p>
          {deleted ? countOf(deleted) : 0} keys have it, and stay. Policies that name it no longer
          apply to them.
        </p>
      </ConfirmDialog>
    </Section>
  );
}

/** Makes a tag, or gives one another name. */
function NameTag({ tag, onClose }: { tag: Tag | undefined; onClose: () => void }) {
  const form = useForm({ defaultValues: { tagName: tag?.tagName ?? "" } });
  const { submit, isBusy, error } = useSubmit(
    async (connection, tagName: string) => {
      if (!tag) {
        const parameters = { privateKeyTagName: tagName, privateKeyIds: [] };
        return void (await createPrivateKeyTag(connection, parameters));
      }
      await updatePrivateKeyTag(connection, {
        ...{ privateKeyTagId: tag.tagId, newPrivateKeyTagName: tagName },
        ...{ addPrivateKeyIds: [], removePrivateKeyIds: [] },
      });
    },
    {
      form,
      renamed: { privateKeyTagName: "tagName", newPrivateKeyTagName: "tagName" },
      done: tag ? "The tag has another name" : "The tag is there",
      onSent: onClose,
    },
  );
  return (
    <Dialog title={tag ? "Rename the tag" : "New tag"} isOpen onClose={onClose}>
      <form className="stack" onSubmit={form.handleSubmit(({ tagName }) => submit(tagName.trim()))}>
        <FormText
          control={form.control}
          name="tagName"
          label="Name"
          autoFocus
          autoComplete="off"
          rules={{ required: "Give the tag a name." }}
        />
        <FormProblem error={error} />
        <DialogActions>
          <Button onPress={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isPending={isBusy}>
            {tag ? "Rename" : "Create the tag"}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
