import { type UpdateUserIntent, type User, updateUser } from "@keyhearth/sdk";
import { useForm } from "react-hook-form";
import { useSubmit } from "../../data/submit.ts";
import { FormChecks } from "../../ui/checks.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { FormText } from "../../ui/form-text.tsx";
import { type Team, tagOptionsOf } from "../users/team.ts";

/** Sends only what was changed: contacts of root users need the root quorum, and names do not. */
export function EditUserDialog({
  user,
  team,
  isOpen,
  onClose,
}: {
  user: User;
  team: Team;
  isOpen: boolean;
  onClose: () => void;
}) {
  const before = {
    userName: user.userName,
    userEmail: user.userEmail ?? "",
    userPhoneNumber: user.userPhoneNumber ?? "",
    userTagIds: user.userTags,
  };
  const tags = tagOptionsOf(team, before.userTagIds);
  const form = useForm({ values: before, resetOptions: { keepDirtyValues: true } });
  const { control, handleSubmit } = form;
  const { submit, isBusy, error } = useSubmit(
    (connection, parameters: UpdateUserIntent) => updateUser(connection, parameters),
    { form, done: "Saved", onSent: onClose },
  );
  return (
    <FormDialog
      title={`Change ${user.userName}`}
      {...{ isOpen, onClose, isBusy, error }}
      action="Save"
      onSubmit={handleSubmit(async (values) => {
        const contacts = Object.entries(values).flatMap(([name, value]) =>
          typeof value === "string" && value.trim() !== Reflect.get(before, name)
            ? [[name, value.trim()]]
            : [],
        );
        const isTagged =
          values.userTagIds.toSorted().join() !== before.userTagIds.toSorted().join();
        if (contacts.length === 0 && !isTagged) return onClose();
        await submit({
          userId: user.userId,
          ...Object.fromEntries(contacts),
          ...(isTagged && { userTagIds: values.userTagIds }),
        });
      })}
    >
      <FormText
        {...{ control }}
        name="userName"
        label="Name"
        rules={{ required: "Give the user a name." }}
      />
      <FormText {...{ control }} name="userEmail" label="Email address" type="email" />
      <FormText
        {...{ control }}
        name="userPhoneNumber"
        label="Phone number"
        type="tel"
        hint="With the country code, such as +14155550100."
      />
      {tags.length > 0 && (
        <FormChecks {...{ control }} name="userTagIds" label="Tags" options={tags} />
      )}
    </FormDialog>
  );
}
