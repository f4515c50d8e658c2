import type { ReactNode } from "react";
import { Tabs as AriaTabs, Tab, TabList, TabPanel } from "react-aria-components/Tabs";

export type TabOf = { id: string; title: string; children: ReactNode };

/**
 * Only the tab that is shown is rendered. `selected` and `onSelect` put it into the address; if the address names none of them,
 * the first one is shown.
 */
export function Tabs({
  label,
  tabs,
  selected,
  onSelect,
}: {
  label: string;
  tabs: readonly TabOf[];
  selected?: string;
  onSelect?: (id: string) => void;
}) {
  const isKnown = selected === undefined || tabs.some(({ id }) => id === selected);
  return (
    <AriaTabs
      className="tabs"
      selectedKey={isKnown ? selected : tabs[0]?.id}
      onSelectionChange={(key) => onSelect?.(String(key))}
    >
      <TabList className="tab-list" aria-label={label}>
        {tabs.map(({ id, title }) => (
          <Tab key={id} id={id} className="tab">
            {title}
          </Tab>
        ))}
      </TabList>
      {tabs.map(({ id, children }) => (
        <TabPanel key={id} id={id} className="stack">
          {children}
        </TabPanel>
      ))}
    </AriaTabs>
  );
}
