import { Autocomplete, useFilter } from "react-aria-components/Autocomplete";
import { Dialog } from "react-aria-components/Dialog";
import { Input } from "react-aria-components/Input";
import { Menu, MenuItem } from "react-aria-components/Menu";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import { SearchField } from "react-aria-components/SearchField";
import { useLocation } from "wouter";
import { addressOf } from "./screen.ts";
import { screens } from "./screens.ts";

/** Leads to every screen by its name. */
export function Palette({ onClose }: { onClose: () => void }) {
  const [, navigate] = useLocation();
  const { contains } = useFilter({ sensitivity: "base" });
  const go = (to: string) => {
    onClose();
    navigate(to);
  };
  return (
    <ModalOverlay
      className="backdrop"
      isOpen
      isDismissable
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
    >
      <Modal className="modal palette">
        <Dialog className="dialog" aria-label="Go to">
          <Autocomplete filter={contains}>
            <SearchField aria-label="Search for a screen" autoFocus>
              <Input className="input" placeholder="Go to…" />
            </SearchField>
            <Menu
              className="list"
              aria-label="Screens"
              items={screens.filter(({ isInMenu }) => isInMenu)}
              renderEmptyState={() => (
                <div className="list-item">No screen has this in its name.</div>
              )}
            >
              {(entry) => (
                <MenuItem
                  id={entry.name}
                  textValue={[entry.title, ...entry.keywords].join(" ")}
                  className="list-item"
                  onAction={() => go(addressOf(entry))}
                >
                  <entry.icon size={16} aria-hidden />
                  {entry.title}
                </MenuItem>
              )}
            </Menu>
          </Autocomplete>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
