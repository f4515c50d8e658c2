import {
  type CreateUserTagIntent,
  createUserTag,
  deleteUserTags,
  type Tag,
  type UpdateUserTagIntent,
  updateUserTag,
} from "@keyhearth/sdk";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { useSubmit } from "../../data/submit.ts";
import { Button } from "../../ui/button.tsx";
import { FormChecks } from "../../ui/checks.tsx";
import { CopyText } from "../../ui/copy.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { FormText } from "../../ui/form-text.tsx";
import { Empty } from "../../ui/states.tsx";
import { Table } from "../../ui/table.tsx";
import type { Team } from "./team.ts";

/** Tags group users, so that a policy can name them all. */
export function Tags({ team }: { team: Team }) {
  const [edited, setEdited] = useState<Tag | "new">();
  const [deleted, setDeleted] = useState<Tag>();
  const { submit: remove } = useSubmit(
    (connection, id: string) => deleteUserTags(connection, { userTagIds: [id] }),
    { done: "The tag is deleted" },
  );
  const membersOf = (id: string) => team.users.filter(({ userTags }) => userTags.includes(id));
  return (
    <>
      <div className="row row-between">
        <p className="soft">
          Policies can name everybody with a tag, such as <code>user.tags.contains('…')</code>.
        </p>
        <Button onPress={() => setEdited("new")}>Create a tag</Button>
      </div>
      {team.tags.length === 0 ? (
        <Empty title="There are no tags yet">Give one to the people whom a policy is about.</Empty>
      ) : (
        <Table
          label="Tags"
          rows={team.tags}
          keyOf={({ tagId }) => tagId}
          columns={[
            { name: "Name", cell: ({ tagName }) => tagName, isMain: true },
            {
              name: "Users",
              cell: ({ tagId }) =>
                membersOf(tagId)
                  .map(({ userName }) => userName)
                  .join(", ") || "Nobody",
            },
            {
              name: "Id",
              cell: ({ tagId }) => <CopyText text={tagId} label="Copy the tag's id" />,
            },
            {
              name: "Actions",
              cell: (tag) => (
                <span className="row">
                  <Button
                    isSmall
                    aria-label={`Change the tag ${tag.tagName}`}
                    onPress={() => setEdited(tag)}
                  >
                    Change
                  </Button>
                  <Button
                    isSmall
                    kind="quiet"
                    aria-label={`Delete the tag ${tag.tagName}`}
                    onPress={() => setDeleted(tag)}
                  >
                    Delete
                  </Button>
                </span>
              ),
            },
          ]}
        />
      )}
      {edited !== undefined && (
        <TagDialog
          key={edited === "new" ? "new" : edited.tagId}
          {...{ team }}
          tag={edited === "new" ? undefined : edited}
          onClose={() => setEdited(undefined)}
        />
      )}
      <ConfirmDialog
        title={`Delete the tag ${deleted?.tagName ?? ""}?`}
        isOpen={deleted !== undefined}
        onClose={() => setDeleted(undefined)}
        action="Delete the tag"
        onConfirm={async () => deleted !== undefined && (await remove(deleted.tagId)) !== undefined}
      >
        <p>
          {membersOf(deleted?.tagId ?? "").length === 0
            ? "Nobody has it."
            : `${membersOf(deleted?.tagId ?? "")
                .map(({ userName }) => userName)
                .join(", ")} will no longer have it.`}{" "}
          Policies that name it stay, and no longer mean anybody.
        </p>
      </ConfirmDialog>
    </>
  );
}

function TagDialog({
  team,
  tag,
  onClose,
}: {
  team: Team;
  tag: Tag | undefined;
  onClose: () => void;
}) {
  const before = team.users.flatMap(({ userId, userTags }) =>
    tag && userTags.includes(tag.tagId) ? [userId] : [],
  );
  const form = useForm({ defaultValues: { userTagName: tag?.tagName ?? "", userIds: before } });
  const { control, handleSubmit } = form;
  const options = { form, renamed: { newUserTagName: "userTagName" as const }, onSent: onClose };
  const create = useSubmit(
    (connection, parameters: CreateUserTagIntent) => createUserTag(connection, parameters),
    { ...options, done: "The tag is there" },
  );
  const update = useSubmit(
    (connection, parameters: UpdateUserTagIntent) => updateUserTag(connection, parameters),
    { ...options, done: "The tag is changed" },
  );
  return (
    <FormDialog
      title={tag ? `Change the tag ${tag.tagName}` : "Create a tag"}
      isOpen
      {...{ onClose }}
      isBusy={create.isBusy || update.isBusy}
      error={create.error ?? update.error}
      action={tag ? "Save" : "Create the tag"}
      onSubmit={handleSubmit(({ userTagName, userIds }) =>
        tag
          ? update.submit({
              userTagId: tag.tagId,
              ...(userTagName.trim() !== tag.tagName && { newUserTagName: userTagName.trim() }),
              addUserIds: userIds.filter((id) => !before.includes(id)),
              removeUserIds: before.filter((id) => !userIds.includes(id)),
            })
          : create.submit({ userTagName: userTagName.trim(), userIds }),
      )}
    >
      <FormText
        {...{ control }}
        name="userTagName"
        label="Name"
        rules={{ required: "Give the tag a name." }}
      />
      <FormChecks
        {...{ control }}
        name="userIds"
        label="Who has it"
        options={team.users.map(({ userId, userName, userEmail }) => ({
          id: userId,
          label: userName,
          ...(userEmail && { hint: userEmail }),
        }))}
      />
    </FormDialog>
  );
}
