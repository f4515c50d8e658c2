import { type ReactNode, useEffect, useRef } from "react";
import { Link } from "wouter";

export type Crumb = { title: string; to: string };

/** A screen: its title, which is also the document's, what can be done there, and the way back. */
export function Page({
  title,
  crumbs = [],
  actions,
  intro,
  children,
}: {
  title: string;
  crumbs?: readonly Crumb[];
  actions?: ReactNode;
  intro?: ReactNode;
  children: ReactNode;
}) {
  useTitle(title);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // After a navigation, the shell has focused what is around the screen, which may have come later.
    if (document.activeElement?.id === "main") heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <div className="page">
      <div className="page-head">
        <div>
          {crumbs.length > 0 && (
            <nav aria-label="Breadcrumbs">
              <ol className="breadcrumbs">
                {crumbs.map((crumb) => (
                  <li key={crumb.to}>
                    <Link href={crumb.to}>{crumb.title}</Link>
                  </li>
                ))}
              </ol>
            </nav>
          )}
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {intro !== undefined && <p className="soft">{intro}</p>}
        </div>
        {actions !== undefined && <div className="row">{actions}</div>}
      </div>
      {children}
    </div>
  );
}

export function Section({
  title,
  actions,
  children,
}: {
  title: string;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className="section" aria-label={title}>
      <div className="row row-between">
        <h2>{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}

/** Names and values of one thing. */
export function Facts({
  facts,
}: {
  facts: readonly (readonly [name: string, value: ReactNode])[];
}) {
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <div key={name} style={{ display: "contents" }}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} | Keyhearth`;
  }, [title]);
}
