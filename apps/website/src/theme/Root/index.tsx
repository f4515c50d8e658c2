// The builder's root is empty. Ours has the button of the assistant, so that an answer stays from page to page.
import { translate } from "@docusaurus/Translate";
import useDocusaurusContext from "@docusaurus/useDocusaurusContext";
import type { AssistantSettings } from "@site/assistant-settings.ts";
import type { AssistantPanel } from "@site/src/components/assistant/AssistantPanel.tsx";
import { type ReactNode, useState } from "react";
import styles from "./styles.module.css";

const load = () => import("@site/src/components/assistant/AssistantPanel.tsx");

export default function Root({ children }: { children: ReactNode }) {
  const { baseUrl, customFields } = useDocusaurusContext().siteConfig;
  const [Panel, setPanel] = useState<typeof AssistantPanel>();
  const [isOpen, setIsOpen] = useState(false);
  // Our configuration sets it.
  const settings = customFields?.assistant as AssistantSettings | undefined;

  function open() {
    load().then(
      ({ AssistantPanel }) => {
        setPanel(() => AssistantPanel);
        setIsOpen(!isOpen);
      },
      // The site was built again since this page was loaded, or the network is gone.
      () => window.location.assign(`${baseUrl}search`),
    );
  }

  return (
    <>
      {children}
      {settings && (
        <div className={styles.place}>
          <button
            id="assistant"
            type="button"
            aria-expanded={isOpen}
            onClick={open}
            onFocus={load}
            onPointerEnter={load}
          >
            {settings.label || translate({ id: "assistant.label", message: "Ask the docs" })}
          </button>
        </div>
      )}
      {Panel && <Panel isOpen={isOpen} title={settings?.title} onClose={() => setIsOpen(false)} />}
    </>
  );
}
