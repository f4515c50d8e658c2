import type { ReactElement, ReactNode } from "react";
import { Menu as AriaMenu, MenuItem, MenuTrigger } from "react-aria-components/Menu";
import { Popover } from "react-aria-components/Popover";
import { Separator } from "react-aria-components/Separator";
import { classes } from "./classes.ts";

export type Entry =
  | {
      id: string;
      label: string;
      hint?: string;
      icon?: ReactNode;
      isDanger?: boolean;
      isDisabled?: boolean;
      onAction: () => void;
    }
  | "separator";

/** A button, and what it offers. `trigger` is a `Button`. */
export function Menu({
  label,
  trigger,
  entries,
}: {
  label: string;
  trigger: ReactElement;
  entries: readonly Entry[];
}) {
  return (
    <MenuTrigger>
      {trigger}
      <Popover className="popover" placement="bottom end">
        <AriaMenu className="list" aria-label={label}>
          {entries.map((entry, index) =>
            entry === "separator" ? (
              // Separators have no name, and their order is fixed.
              <Separator key={`separator-${String(index)}`} className="list-separator" />
            ) : (
              <MenuItem
                key={entry.id}
                id={entry.id}
                textValue={entry.label}
                isDisabled={entry.isDisabled}
                onAction={entry.onAction}
                className={classes("list-item", entry.isDanger && "list-item-danger")}
              >
                {entry.icon}
                <span className="list-item-text">
                  {entry.label}
                  {entry.hint !== undefined && <span className="faint">{entry.hint}</span>}
                </span>
              </MenuItem>
            ),
          )}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  );
}
