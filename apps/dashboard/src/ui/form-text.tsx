import type { ComponentProps } from "react";
import { type Control, type FieldPath, type FieldValues, useController } from "react-hook-form";
import { TextField } from "./text-field.tsx";

export type Bound<Values extends FieldValues> = {
  control: Control<Values>;
  name: FieldPath<Values>;
  /** What the form asks for before it sends anything. The service checks again. */
  rules?: Rules;
};

type Rules = {
  required?: string;
  validate?: (value: string) => string | true;
};

export function useBound<Values extends FieldValues>({ control, name, rules }: Bound<Values>) {
  const { field, fieldState } = useController({ control, name, rules: rules as never });
  return {
    field,
    given: {
      name,
      isRequired: rules?.required !== undefined,
      validationBehavior: "aria",
      onBlur: field.onBlur,
      error: fieldState.error?.message,
    } as const,
  };
}

export function FormText<Values extends FieldValues>({
  control,
  name,
  rules,
  ...rest
}: Bound<Values> & Omit<ComponentProps<typeof TextField>, "name">) {
  const { field, given } = useBound({ control, name, rules });
  return (
    <TextField
      {...rest}
      {...given}
      focusRef={field.ref}
      value={field.value}
      onChange={field.onChange}
    />
  );
}
