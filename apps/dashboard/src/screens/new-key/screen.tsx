import {
  type CreatePrivateKeysIntentV2,
  createPrivateKeys,
  listPrivateKeyTags,
} from "@keyhearth/sdk";
import { useController, useForm } from "react-hook-form";
import { useLocation } from "wouter";
import "../../chains/chains.css";
import { KeyFields, type KeyValues, newKey } from "../../chains/key-fields.tsx";
import { useRead } from "../../data/read.ts";
import { useSubmit } from "../../data/submit.ts";
import { CheckboxGroup } from "../../ui/checkbox-group.tsx";
import { FormEnd } from "../../ui/form-end.tsx";
import { Page } from "../../ui/page.tsx";

type Values = KeyValues & { privateKeyTags: string[] };

export function Screen() {
  const [, navigate] = useLocation();
  const tags = useRead("list_private_key_tags", listPrivateKeyTags, {});
  const form = useForm<Values>({ defaultValues: { ...newKey, privateKeyTags: [] } });
  const { control, handleSubmit } = form;
  const chosen = useController({ control, name: "privateKeyTags" });
  const { submit, isBusy, error } = useSubmit(
    (connection, parameters: CreatePrivateKeysIntentV2) =>
      createPrivateKeys(connection, parameters),
    {
      form,
      done: "The key is there",
      onSent: (outcome) => {
        const id =
          outcome.kind === "done" ? outcome.result.privateKeys[0]?.privateKeyId : undefined;
        navigate(id === undefined ? "/keys" : `/keys/${id}`);
      },
    },
  );
  const create = handleSubmit(({ privateKeyName, ...rest }) =>
    submit({ privateKeys: [{ privateKeyName: privateKeyName.trim(), ...rest }] }),
  );
  const known = tags.data?.privateKeyTags ?? [];
  return (
    <Page
      title="Create a private key"
      crumbs={[{ title: "Private keys", to: "/keys" }]}
      intro="The signer makes the key. It leaves the signer only if somebody exports it."
    >
      <form className="stack narrow-form" onSubmit={create}>
        <KeyFields {...{ control }} />
        {known.length > 0 && (
          <CheckboxGroup
            label="Tags"
            options={known.map(({ tagId, tagName }) => ({ id: tagId, label: tagName }))}
            error={chosen.fieldState.error?.message}
            value={chosen.field.value}
            onChange={chosen.field.onChange}
          />
        )}
        <FormEnd action="Create the key" backTo="/keys" {...{ isBusy, error }} />
      </form>
    </Page>
  );
}
