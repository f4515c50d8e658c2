import {
  CheckboxGroup as AriaCheckboxGroup,
  type CheckboxGroupProps as AriaCheckboxGroupProps,
} from "react-aria-components/CheckboxGroup";
import { Checkbox, type Option } from "./fields.tsx";
import { Below, FieldLabel, type FieldProps } from "./text-field.tsx";
import "./checkbox-group.css";

/** Any number of a few. */
export function CheckboxGroup({
  label,
  hint,
  error,
  options,
  ...rest
}: Omit<AriaCheckboxGroupProps, "className" | "children" | "isInvalid"> &
  FieldProps & { options: readonly Option[] }) {
  return (
    <AriaCheckboxGroup {...rest} className="field" isInvalid={error !== undefined}>
      <FieldLabel {...{ label, isRequired: rest.isRequired }} />
      <div className="checkbox-group">
        {options.map((option) => (
          <Checkbox key={option.id} value={option.id} hint={option.hint}>
            {option.label}
          </Checkbox>
        ))}
      </div>
      <Below {...{ hint, error }} />
    </AriaCheckboxGroup>
  );
}
