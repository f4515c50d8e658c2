import { Input } from "react-aria-components/Input";
import { SearchField } from "react-aria-components/SearchField";

/** Narrows a list while people type. Escape empties it. `label` is what a reader of the screen hears. */
export function SearchBox({
  label,
  placeholder,
  value,
  onChange,
}: {
  label: string;
  placeholder?: string;
  value: string;
  onChange: (text: string) => void;
}) {
  return (
    <SearchField className="field" aria-label={label} value={value} onChange={onChange}>
      <Input className="input" placeholder={placeholder ?? label} />
    </SearchField>
  );
}

/** Whether one of the texts has what was typed, in any case of letters. */
export function hasText(sought: string, ...texts: (string | undefined)[]): boolean {
  const needle = sought.trim().toLowerCase();
  return needle === "" || texts.some((text) => text?.toLowerCase().includes(needle));
}
