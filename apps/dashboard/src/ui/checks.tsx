import type { ReactNode } from "react";
import { CheckboxGroup } from "react-aria-components/CheckboxGroup";
import { type Control, type FieldPath, type FieldValues, useController } from "react-hook-form";
import { Checkbox } from "./fields.tsx";
import { Below, FieldLabel, type FieldProps } from "./text-field.tsx";

export type CheckOption = { id: string; label: string; hint?: ReactNode };

/** Any number of a few. The value is the list of their ids. */
export function FormChecks<Values extends FieldValues>({
  control,
  name,
  label,
  hint,
  options,
  rules,
}: Omit<FieldProps, "error"> & {
  control: Control<Values>;
  name: FieldPath<Values>;
  options: readonly CheckOption[];
  rules?: { validate: (ids: readonly string[]) => string | true };
}) {
  const { field, fieldState } = useController({ control, name, rules: rules as never });
  return (
    <CheckboxGroup
      className="field"
      value={field.value}
      onChange={field.onChange}
      onBlur={field.onBlur}
      isInvalid={fieldState.error !== undefined}
      validationBehavior="aria"
    >
      <FieldLabel label={label} />
      {options.map((option) => (
        <Checkbox key={option.id} value={option.id} hint={option.hint}>
          {option.label}
        </Checkbox>
      ))}
      <Below hint={hint} error={fieldState.error?.message} />
    </CheckboxGroup>
  );
}
