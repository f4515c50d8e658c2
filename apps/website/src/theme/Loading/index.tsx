// The theme's spinner and error have colours of their own and say nothing to screen readers.
import Translate, { translate } from "@docusaurus/Translate";
import type ThemeLoading from "@theme/Loading";
import type { ComponentProps } from "react";
import styles from "./styles.module.css";

type Props = ComponentProps<typeof ThemeLoading>;

export default function Loading({ error, retry, pastDelay }: Props) {
  if (error) {
    return (
      <div className={styles.failure} role="alert">
        <p>{String(error)}</p>
        <button type="button" className="button button--primary" onClick={retry}>
          <Translate id="site.loading.retry">Retry</Translate>
        </button>
      </div>
    );
  }
  // What comes at once shows no spinner, which would only flicker.
  if (!pastDelay) return null;
  return (
    <div
      className={styles.spinner}
      role="status"
      aria-label={translate({ id: "site.loading.label", message: "Loading" })}
    />
  );
}
