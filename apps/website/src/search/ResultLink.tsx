import Link from "@docusaurus/Link";
import type { ReactNode } from "react";
import { useResultLinks } from "./result-links.ts";

/** A link to a result, which may be on another site. */
export function ResultLink({ url, children }: { url: string; children: ReactNode }) {
  const { href, isOwn } = useResultLinks()(url);
  return isOwn ? <Link to={href}>{children}</Link> : <a href={href}>{children}</a>;
}
