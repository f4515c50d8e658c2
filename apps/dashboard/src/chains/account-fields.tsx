import { type Control, type FieldPath, type FieldValues, useController } from "react-hook-form";
import { ComboBox } from "../ui/choices.tsx";
import type { Option } from "../ui/fields.tsx";
import { FormSelect } from "../ui/form.tsx";
import { FormText } from "../ui/form-text.tsx";
import {
  type AccountValues,
  chainOf,
  chains,
  explain,
  nameOfCurve,
  newAccount,
} from "./formats.ts";

const options: readonly Option[] = chains.map(({ format, label, curves: [curve] }) => ({
  id: format,
  label,
  hint: nameOfCurve(curve),
}));

const isPath = (value: string) =>
  /^m(\/\d+'?){1,10}$/.test(value.trim()) ||
  "Write the path as m and one to ten numbers, such as m/44'/60'/0'/0/0.";

/**
 * The fields of an account: its chain, curve, path and name. `at` is where the form has them, such as `accounts.0.`. Another chain
 * brings its own curve and its usual path.
 */
export function AccountFields<Values extends FieldValues>({
  control,
  at,
  hasName = true,
  pathHint,
  onChain,
}: {
  control: Control<Values>;
  at: string;
  hasName?: boolean;
  pathHint?: string;
  /** Called with the new values, which have the usual path of the chain. */
  onChain?: (values: AccountValues) => void;
}) {
  const name = (field: string) => `${at}${field}` as FieldPath<Values>;
  const format = useController({
    control,
    name: name("format"),
    rules: { required: "Choose a chain." },
  });
  const curve = useController({ control, name: name("curve") });
  const path = useController({ control, name: name("path") });
  const chain = chainOf(format.field.value);
  const choose = (key: unknown) => {
    const chosen = chains.find((each) => each.format === key);
    if (!chosen) return;
    const values = newAccount(chosen.format);
    format.field.onChange(values.format);
    curve.field.onChange(values.curve);
    path.field.onChange(values.path);
    onChain?.(values);
  };
  return (
    <>
      <div className="wide">
        <ComboBox
          {...{ options }}
          label="Chain"
          hint={chain && explain(chain)}
          isRequired
          validationBehavior="aria"
          menuTrigger="focus"
          error={format.fieldState.error?.message}
          focusRef={format.field.ref}
          value={format.field.value || null}
          onChange={choose}
          onBlur={format.field.onBlur}
        />
      </div>
      <FormText
        {...{ control }}
        name={name("path")}
        label="Path"
        hint={pathHint}
        isMono
        autoComplete="off"
        spellCheck="false"
        rules={{ required: "Enter the path of the account.", validate: isPath }}
      />
      <FormSelect
        {...{ control }}
        name={name("curve")}
        label="Curve"
        options={(chain?.curves ?? []).map((each) => ({ id: each, label: nameOfCurve(each) }))}
        rules={{ required: "Choose the curve." }}
      />
      {hasName && (
        <div className="wide">
          <FormText
            {...{ control }}
            name={name("name")}
            label="Name of the account"
            autoComplete="off"
          />
        </div>
      )}
    </>
  );
}
