import type { AddressFormat, Curve } from "@keyhearth/sdk";
import { useState } from "react";
import { type Control, useController } from "react-hook-form";
import { CheckboxGroup } from "../ui/checkbox-group.tsx";
import { Select } from "../ui/choices.tsx";
import { Checkbox } from "../ui/fields.tsx";
import { FormText } from "../ui/form-text.tsx";
import { chains, curves, nameOfCurve } from "./formats.ts";

export type KeyValues = {
  privateKeyName: string;
  curve: Curve;
  addressFormats: AddressFormat[];
};

export const newKey: KeyValues = {
  privateKeyName: "",
  curve: "CURVE_SECP256K1",
  addressFormats: ["ADDRESS_FORMAT_ETHEREUM"],
};

const hints: Record<Curve, string> = {
  CURVE_SECP256K1: "Ethereum, Bitcoin, Tron, Cosmos, XRP Ledger",
  CURVE_ED25519: "Solana, Sui, Aptos, Stellar, TON",
  CURVE_P256: "passkeys, and signatures of other systems",
};

/** A private key: its name, its curve, and the formats of addresses that are made from it. */
export function KeyFields<Values extends KeyValues>(given: { control: Control<Values> }) {
  // The library's types cannot say that a form has these fields and others.
  const control = given.control as unknown as Control<KeyValues>;
  const curve = useController({ control, name: "curve" });
  const formats = useController({ control, name: "addressFormats" });
  const [hasTests, setTests] = useState(false);
  const possible = chains.filter(({ curves: own }) => own.includes(curve.field.value));
  const offered = possible.filter(
    ({ format, isTest }) => !isTest || hasTests || formats.field.value.includes(format),
  );
  const choose = (key: unknown) => {
    curve.field.onChange(key);
    // Addresses of another curve cannot stay.
    const usual = chains.find(({ curves: [first] }) => first === key);
    formats.field.onChange([usual?.format ?? "ADDRESS_FORMAT_COMPRESSED"]);
  };
  return (
    <>
      <FormText
        {...{ control }}
        name="privateKeyName"
        label="Name"
        autoComplete="off"
        rules={{ required: "Give the key a name. No other private key may have it." }}
      />
      <Select
        label="Curve"
        options={curves.map((each) => ({ id: each, label: nameOfCurve(each), hint: hints[each] }))}
        isRequired
        validationBehavior="aria"
        error={curve.fieldState.error?.message}
        focusRef={curve.field.ref}
        value={curve.field.value}
        onChange={choose}
        onBlur={curve.field.onBlur}
      />
      <CheckboxGroup
        label="Addresses"
        hint="One key can have addresses of several chains."
        error={formats.fieldState.error?.message}
        options={offered.map(({ format, label }) => ({ id: format, label }))}
        value={formats.field.value}
        onChange={formats.field.onChange}
      />
      {possible.some(({ isTest }) => isTest) && (
        <Checkbox isSelected={hasTests} onChange={setTests}>
          Offer addresses of test networks, too.
        </Checkbox>
      )}
    </>
  );
}
