import Link from "@docusaurus/Link";
import { linkTo, usePlace } from "./place.ts";

/** A kept version has no translations. */
export function EarlierVersion({ version }: { version: string }) {
  const place = usePlace();
  return (
    <section className="alert alert--warning" aria-label="Version">
      This is the documentation of Keyhearth {version}.{" "}
      <Link {...linkTo("/", place)}>Read this page for the current version</Link>.
    </section>
  );
}
