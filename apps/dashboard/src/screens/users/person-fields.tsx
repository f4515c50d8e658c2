import type { Control, FieldValues } from "react-hook-form";
import { FormChecks } from "../../ui/checks.tsx";
import { FormText } from "../../ui/form-text.tsx";
import type { Team } from "./team.ts";

export type PersonValues = { userName: string; userEmail: string; userTags: string[] };

export const nobody: PersonValues = { userName: "", userEmail: "", userTags: [] };

/** A new person: in the form of an invitation and in that of a user. */
export function PersonFields<Values extends FieldValues & PersonValues>({
  control: given,
  team,
  mustHaveEmail = false,
}: {
  control: Control<Values>;
  team: Team;
  /** An invitation goes there. */
  mustHaveEmail?: boolean;
}) {
  // The fields of a person are among those of every form that this takes.
  const control = given as unknown as Control<PersonValues>;
  return (
    <>
      <FormText
        {...{ control }}
        name="userName"
        label="Name"
        hint="As others see it when they approve."
        rules={{ required: "Give a name, which others see." }}
      />
      <FormText
        {...{ control }}
        name="userEmail"
        label="Email address"
        type="email"
        rules={{
          ...(mustHaveEmail && { required: "Enter the address that gets the invitation." }),
          validate: (text) =>
            text.trim() === "" ||
            /^[^@\s]+@[^@\s]+$/.test(text.trim()) ||
            "Check the address: it has the form name@host.",
        }}
      />
      {team.tags.length > 0 && (
        <FormChecks
          {...{ control }}
          name="userTags"
          label="Tags"
          options={team.tags.map(({ tagId, tagName }) => ({ id: tagId, label: tagName }))}
        />
      )}
    </>
  );
}
