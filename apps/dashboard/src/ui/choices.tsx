import { Check, ChevronDown } from "lucide-react";
import type { Ref } from "react";
import { Button as AriaButton } from "react-aria-components/Button";
import {
  ComboBox as AriaComboBox,
  type ComboBoxProps as AriaComboBoxProps,
} from "react-aria-components/ComboBox";
import { Group } from "react-aria-components/Group";
import { Input } from "react-aria-components/Input";
import { ListBox, ListBoxItem } from "react-aria-components/ListBox";
import { Popover } from "react-aria-components/Popover";
import {
  Select as AriaSelect,
  type SelectProps as AriaSelectProps,
  SelectValue,
} from "react-aria-components/Select";
import type { Option } from "./fields.tsx";
import { Below, FieldLabel, type FieldProps } from "./text-field.tsx";

type Choice = FieldProps & { options: readonly Option[]; placeholder?: string };

/** One of a few. */
export function Select({
  label,
  hint,
  error,
  options,
  placeholder = "Choose one",
  focusRef,
  ...rest
}: Omit<AriaSelectProps<Option>, "className" | "children" | "isInvalid"> &
  Choice & { focusRef?: Ref<HTMLButtonElement> }) {
  return (
    <AriaSelect
      {...rest}
      className="field"
      placeholder={placeholder}
      isInvalid={error !== undefined}
    >
      <FieldLabel {...{ label, isRequired: rest.isRequired }} />
      <AriaButton ref={focusRef} className="input select-button">
        <SelectValue<Option> className="select-value">
          {({ selectedText, defaultChildren }) => selectedText || defaultChildren}
        </SelectValue>
        <ChevronDown size={16} aria-hidden />
      </AriaButton>
      <Below {...{ hint, error }} />
      <Popover className="popover">
        <ListBox className="list" items={options}>
          {(option) => <Item {...option} />}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}

/** One of many, found by typing. */
export function ComboBox({
  label,
  hint,
  error,
  options,
  placeholder,
  focusRef,
  ...rest
}: Omit<AriaComboBoxProps<Option>, "className" | "children" | "isInvalid" | "defaultItems"> &
  Choice & { focusRef?: Ref<HTMLInputElement> }) {
  return (
    <AriaComboBox
      {...rest}
      className="field"
      defaultItems={options}
      isInvalid={error !== undefined}
    >
      <FieldLabel {...{ label, isRequired: rest.isRequired }} />
      <Group className="input-group">
        <Input ref={focusRef} className="input" placeholder={placeholder} />
        <AriaButton className="button button-quiet button-icon">
          <ChevronDown size={16} aria-hidden />
        </AriaButton>
      </Group>
      <Below {...{ hint, error }} />
      <Popover className="popover">
        <ListBox<Option>
          className="list"
          renderEmptyState={() => <div className="list-item">Nothing has this in its name.</div>}
        >
          {(option) => <Item {...option} />}
        </ListBox>
      </Popover>
    </AriaComboBox>
  );
}

function Item({ id, label, hint }: Option) {
  return (
    <ListBoxItem id={id} textValue={label} className="list-item">
      {({ isSelected }) => (
        <>
          <span className="list-item-text">
            {label}
            {hint !== undefined && <span className="faint"> {hint}</span>}
          </span>
          {isSelected && <Check size={16} aria-hidden />}
        </>
      )}
    </ListBoxItem>
  );
}
