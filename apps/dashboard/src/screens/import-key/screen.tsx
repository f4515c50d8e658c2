import { importPrivateKey, initImportPrivateKey } from "@keyhearth/sdk";
import type { KeyFormat } from "@keyhearth/sdk/crypto";
import { useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useForm } from "react-hook-form";
import { useLocation } from "wouter";
import "../../chains/chains.css";
import { KeyFields, type KeyValues, newKey } from "../../chains/key-fields.tsx";
import { usePatience } from "../../data/patient.ts";
import { keyFormatsOf } from "../../secrets/key-formats.ts";
import { type SecretHandle, SecretInput } from "../../secrets/secret-input.tsx";
import { Waits } from "../../secrets/waits.tsx";
import { useCurrent } from "../../session/current.tsx";
import { AskBeforeLeaving } from "../../ui/ask-before-leaving.tsx";
import { FormSelect } from "../../ui/form.tsx";
import { FormEnd } from "../../ui/form-end.tsx";
import { Page } from "../../ui/page.tsx";
import { tell } from "../../ui/toasts.tsx";

type Values = KeyValues & { keyFormat: KeyFormat };

export function Screen() {
  const [, navigate] = useLocation();
  const { userId } = useCurrent().session;
  const secret = useRef<SecretHandle>(null);
  const form = useForm<Values>({ defaultValues: { ...newKey, keyFormat: "HEXADECIMAL" } });
  const { control, handleSubmit, watch } = form;
  const [isImported, setImported] = useState(false);
  const { run, isBusy, error, waiting } = usePatience({ form });
  const [curve, chosen] = watch(["curve", "keyFormat"]);
  const formats = keyFormatsOf(curve);
  const [hex] = formats;
  const keyFormat = formats.find(({ id }) => id === chosen) ?? hex;

  const bring = handleSubmit(async ({ privateKeyName, addressFormats }) => {
    const entered = secret.current;
    if (!entered?.check()) return;
    const imported = await run(async (step) => {
      try {
        const { importBundle } = await step((connection, options) =>
          initImportPrivateKey(connection, { userId }, options),
        );
        const encryptedBundle = await entered.encrypt(importBundle);
        const name = privateKeyName.trim();
        const parameters = { userId, privateKeyName: name, curve, addressFormats };
        return await step((connection, options) =>
          importPrivateKey(connection, { ...parameters, encryptedBundle }, options),
        );
      } catch (cause) {
        if (entered.refuse(cause)) return undefined;
        throw cause;
      }
    });
    if (!imported) return;
    entered.clear();
    // There is nothing left to lose.
    flushSync(() => setImported(true));
    tell({ title: "The key is imported", text: "Delete other copies that you no longer need." });
    navigate(`/keys/${imported.privateKeyId}`);
  });

  return (
    <Page
      title="Import a private key"
      crumbs={[{ title: "Private keys", to: "/keys" }]}
      intro="A key that exists already, from another wallet or program."
    >
      <AskBeforeLeaving
        isUnsaved={form.formState.isDirty && !isImported}
        title="Leave without importing the key?"
      />
      <form className="stack narrow-form" onSubmit={bring}>
        <KeyFields {...{ control }} />
        {formats.length > 1 && (
          <FormSelect
            {...{ control }}
            name="keyFormat"
            label="Format of the key"
            options={formats}
            rules={{ required: "Choose how the key is written." }}
          />
        )}
        <SecretInput what={{ kind: "key", keyFormat }} ref={secret} />
        <Waits activityId={waiting} what="the import goes on" />
        <FormEnd action="Import the key" backTo="/keys" {...{ isBusy, error }} />
      </form>
    </Page>
  );
}
