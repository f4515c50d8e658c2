import { useLocation } from "wouter";
import type { ScreenProps } from "../../app/screen.ts";
import { Page } from "../../ui/page.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { tabs } from "./tabs.ts";

/** Each tab has an address. A tab is a file beside this one, and a line in `tabs.ts`. */
export function Screen({ params }: ScreenProps) {
  const [, navigate] = useLocation();
  const selected = tabs.find(({ id }) => id === params.tab) ?? tabs[0];
  return (
    <Page title="Settings">
      <Tabs
        label="Settings"
        selected={selected?.id}
        onSelect={(id) => navigate(`/settings/${id}`, { replace: true })}
        tabs={tabs.map(({ id, title, Tab }) => ({ id, title, children: <Tab /> }))}
      />
    </Page>
  );
}
