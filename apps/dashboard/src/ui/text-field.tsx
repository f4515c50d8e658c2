import type { ReactNode, Ref } from "react";
import { FieldError } from "react-aria-components/FieldError";
import { Input } from "react-aria-components/Input";
import { Label } from "react-aria-components/Label";
import { Text } from "react-aria-components/Text";
import {
  TextField as AriaTextField,
  type TextFieldProps as AriaTextFieldProps,
} from "react-aria-components/TextField";
import { classes } from "./classes.ts";

/** What every field has around it. */
export type FieldProps = {
  label: string;
  hint?: ReactNode;
  /** What is wrong with it, and how to fix that. */
  error?: string | undefined;
};

export type TextProps = Omit<AriaTextFieldProps, "className" | "children" | "isInvalid"> &
  FieldProps & { placeholder?: string; isMono?: boolean };

/** What a form focuses if something is wrong with the field. */
export type Focused = { focusRef?: Ref<HTMLInputElement> };

export function TextField({
  label,
  hint,
  error,
  placeholder,
  isMono,
  focusRef,
  ...rest
}: TextProps & Focused) {
  return (
    <AriaTextField {...rest} className="field" isInvalid={error !== undefined}>
      <FieldLabel {...{ label, isRequired: rest.isRequired }} />
      <Input
        ref={focusRef}
        className={classes("input", isMono && "input-mono")}
        placeholder={placeholder}
      />
      <Below {...{ hint, error }} />
    </AriaTextField>
  );
}

export function FieldLabel({ label, isRequired }: { label: string; isRequired?: boolean }) {
  return (
    <Label className="field-label">
      {label}
      {isRequired === false && <span className="faint"> (optional)</span>}
    </Label>
  );
}

/** The hint, and what is wrong. A reader of the screen hears both with the field. */
export function Below({ hint, error }: Pick<FieldProps, "hint" | "error">) {
  return (
    <>
      {hint !== undefined && (
        <Text slot="description" className="field-hint">
          {hint}
        </Text>
      )}
      <FieldError className="field-error">{error}</FieldError>
    </>
  );
}
