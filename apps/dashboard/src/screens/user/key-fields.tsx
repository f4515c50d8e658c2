import type { ApiKeyParamsV2 } from "@keyhearth/sdk";
import { type Control, type FieldValues, type Path, useWatch } from "react-hook-form";
import { FormRadioGroup, FormSelect } from "../../ui/form.tsx";
import { FormText } from "../../ui/form-text.tsx";
import { lifetimes, type MadeKey, makeKey, problemOfPublicKey } from "./keys-made-here.ts";

export type KeyValues = {
  apiKeyName: string;
  origin: "made" | "given";
  publicKey: string;
  curveType: "API_KEY_CURVE_P256" | "API_KEY_CURVE_SECP256K1" | "API_KEY_CURVE_ED25519";
  lifetime: string;
};

export const noKey: KeyValues = {
  apiKeyName: "",
  origin: "made",
  publicKey: "",
  curveType: "API_KEY_CURVE_P256",
  lifetime: "never",
};

const chosen = { required: "Choose one." };

/** The fields of a new key, in the form of whoever needs one. */
export function KeyFields<Values extends FieldValues & KeyValues>({
  control: given,
  mustLast = false,
}: {
  control: Control<Values>;
  /** A user needs a key that does not expire, or a passkey. */
  mustLast?: boolean;
}) {
  // The fields of a key are among those of every form that this takes.
  const control = given as unknown as Control<KeyValues>;
  const origin = useWatch({ control, name: "origin" as Path<KeyValues> });
  return (
    <>
      <FormText
        {...{ control }}
        name="apiKeyName"
        label="Name of the key"
        hint="Where it is used, such as “CI”."
        rules={{ required: "Give the key a name." }}
      />
      <FormRadioGroup
        {...{ control }}
        name="origin"
        label="Where the key comes from"
        rules={chosen}
        options={[
          {
            id: "made",
            label: "Make it in this browser.",
            hint: "The private half is shown once and never sent.",
          },
          {
            id: "given",
            label: "I have a public key.",
            hint: "Safest: the private half stays on the machine that uses it.",
          },
        ]}
      />
      {origin === "given" && (
        <>
          <FormText
            {...{ control }}
            name="publicKey"
            label="Public key"
            isMono
            hint={
              <>
                In hex. <code>keyhearth generate api-key NAME</code> makes one.
              </>
            }
            rules={{ required: "Paste the public key.", validate: problemOfPublicKey }}
          />
          <FormSelect
            {...{ control }}
            name="curveType"
            label="Curve"
            rules={chosen}
            options={[
              { id: "API_KEY_CURVE_P256", label: "P-256" },
              { id: "API_KEY_CURVE_SECP256K1", label: "secp256k1" },
              { id: "API_KEY_CURVE_ED25519", label: "Ed25519" },
            ]}
          />
        </>
      )}
      {!mustLast && (
        <FormSelect
          {...{ control }}
          name="lifetime"
          label="Valid for"
          rules={chosen}
          options={lifetimes}
          hint="A key that expires is a session: it counts as one, and “log out everywhere” ends it."
        />
      )}
    </>
  );
}

/** What the service registers, and the key itself if this page made it. */
export async function keyOf(
  { apiKeyName, origin, publicKey, curveType, lifetime }: KeyValues,
  organizationId: string,
  earlier?: MadeKey,
): Promise<{ params: ApiKeyParamsV2; made: MadeKey | undefined }> {
  const name = apiKeyName.trim();
  // Another try registers the same key.
  const made =
    origin === "given"
      ? undefined
      : { ...(earlier ?? (await makeKey(name, organizationId))), apiKeyName: name };
  return {
    made,
    params: {
      apiKeyName: name,
      publicKey: made?.apiPublicKey ?? publicKey.trim().toLowerCase(),
      curveType: made ? "API_KEY_CURVE_P256" : curveType,
      ...(lifetime !== "never" && { expirationSeconds: lifetime }),
    },
  };
}
