import { Check, Minus, Plus } from "lucide-react";
import type { ReactNode, Ref } from "react";
import { Button as AriaButton } from "react-aria-components/Button";
import {
  Checkbox as AriaCheckbox,
  type CheckboxProps as AriaCheckboxProps,
} from "react-aria-components/Checkbox";
import { Group } from "react-aria-components/Group";
import { Input } from "react-aria-components/Input";
import {
  NumberField as AriaNumberField,
  type NumberFieldProps as AriaNumberFieldProps,
} from "react-aria-components/NumberField";
import {
  RadioGroup as AriaRadioGroup,
  type RadioGroupProps as AriaRadioGroupProps,
  Radio,
} from "react-aria-components/RadioGroup";
import { TextArea as AriaTextArea } from "react-aria-components/TextArea";
import { TextField as AriaTextField } from "react-aria-components/TextField";
import { classes } from "./classes.ts";
import { Below, FieldLabel, type FieldProps, type Focused, type TextProps } from "./text-field.tsx";

export function TextArea({
  label,
  hint,
  error,
  placeholder,
  isMono,
  rows,
  focusRef,
  ...rest
}: TextProps & { rows?: number; focusRef?: Ref<HTMLTextAreaElement> }) {
  return (
    <AriaTextField {...rest} className="field" isInvalid={error !== undefined}>
      <FieldLabel {...{ label, isRequired: rest.isRequired }} />
      <AriaTextArea
        ref={focusRef}
        className={classes("input", isMono && "input-mono")}
        placeholder={placeholder}
        rows={rows}
      />
      <Below {...{ hint, error }} />
    </AriaTextField>
  );
}

export function NumberField({
  label,
  hint,
  error,
  focusRef,
  ...rest
}: Omit<AriaNumberFieldProps, "className" | "children" | "isInvalid"> & FieldProps & Focused) {
  return (
    <AriaNumberField {...rest} className="field" isInvalid={error !== undefined}>
      <FieldLabel {...{ label, isRequired: rest.isRequired }} />
      <Group className="input-group input-group-number">
        <Input ref={focusRef} className="input" />
        <AriaButton slot="decrement" className="button button-quiet button-icon step-down">
          <Minus size={16} aria-hidden />
        </AriaButton>
        <AriaButton slot="increment" className="button button-quiet button-icon step-up">
          <Plus size={16} aria-hidden />
        </AriaButton>
      </Group>
      <Below {...{ hint, error }} />
    </AriaNumberField>
  );
}

export function Checkbox({
  children,
  hint,
  ...rest
}: Omit<AriaCheckboxProps, "className" | "children"> & { children: ReactNode; hint?: ReactNode }) {
  return (
    <AriaCheckbox {...rest} className="check">
      <span className="check-box">
        <Check size={14} strokeWidth={3.5} aria-hidden />
      </span>
      <span>
        {children}
        {hint !== undefined && <span className="field-hint"> {hint}</span>}
      </span>
    </AriaCheckbox>
  );
}

export type Option = { id: string; label: string; hint?: string };

export function RadioGroup({
  label,
  hint,
  error,
  options,
  ...rest
}: Omit<AriaRadioGroupProps, "className" | "children" | "isInvalid"> &
  FieldProps & { options: readonly Option[] }) {
  return (
    <AriaRadioGroup {...rest} className="field" isInvalid={error !== undefined}>
      <FieldLabel {...{ label, isRequired: rest.isRequired }} />
      {options.map((option) => (
        <Radio key={option.id} value={option.id} className="check">
          <span className="check-box check-round">
            <Check size={12} strokeWidth={4} aria-hidden />
          </span>
          <span>
            {option.label}
            {option.hint !== undefined && <span className="field-hint"> {option.hint}</span>}
          </span>
        </Radio>
      ))}
      <Below {...{ hint, error }} />
    </AriaRadioGroup>
  );
}
