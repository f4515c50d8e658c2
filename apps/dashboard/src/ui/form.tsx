import type { ComponentProps } from "react";
import { type FieldValues, useController } from "react-hook-form";
import { ComboBox, Select } from "./choices.tsx";
import { Checkbox, NumberField, RadioGroup, TextArea } from "./fields.tsx";
import { type Bound, useBound } from "./form-text.tsx";

// The fields of react-hook-form. What the service says about one is shown at it, as what the form itself says.

export function FormTextArea<Values extends FieldValues>({
  control,
  name,
  rules,
  ...rest
}: Bound<Values> & Omit<ComponentProps<typeof TextArea>, "name">) {
  const { field, given } = useBound({ control, name, rules });
  return (
    <TextArea
      {...rest}
      {...given}
      focusRef={field.ref}
      value={field.value}
      onChange={field.onChange}
    />
  );
}

export function FormNumber<Values extends FieldValues>({
  control,
  name,
  rules,
  ...rest
}: Bound<Values> & Omit<ComponentProps<typeof NumberField>, "name">) {
  const { field, given } = useBound({ control, name, rules });
  return (
    <NumberField
      {...rest}
      {...given}
      isRequired
      focusRef={field.ref}
      value={field.value}
      onChange={field.onChange}
    />
  );
}

export function FormSelect<Values extends FieldValues>({
  control,
  name,
  rules,
  ...rest
}: Bound<Values> & Omit<ComponentProps<typeof Select>, "name">) {
  const { field, given } = useBound({ control, name, rules });
  return (
    <Select
      {...rest}
      {...given}
      focusRef={field.ref}
      value={field.value || null}
      onChange={field.onChange}
    />
  );
}

export function FormComboBox<Values extends FieldValues>({
  control,
  name,
  rules,
  ...rest
}: Bound<Values> & Omit<ComponentProps<typeof ComboBox>, "name">) {
  const { field, given } = useBound({ control, name, rules });
  return (
    <ComboBox
      {...rest}
      {...given}
      focusRef={field.ref}
      value={field.value || null}
      onChange={field.onChange}
    />
  );
}

export function FormRadioGroup<Values extends FieldValues>({
  control,
  name,
  rules,
  ...rest
}: Bound<Values> & Omit<ComponentProps<typeof RadioGroup>, "name">) {
  const { field, given } = useBound({ control, name, rules });
  return <RadioGroup {...rest} {...given} value={field.value} onChange={field.onChange} />;
}

export function FormCheckbox<Values extends FieldValues>({
  control,
  name,
  ...rest
}: Bound<Values> & Omit<ComponentProps<typeof Checkbox>, "name">) {
  const { field } = useController({ control, name });
  return (
    <Checkbox
      {...rest}
      name={name}
      isSelected={Boolean(field.value)}
      onChange={field.onChange}
      onBlur={field.onBlur}
    />
  );
}
