import Link from "@docusaurus/Link";
import Translate from "@docusaurus/Translate";
import styles from "./Paths.module.css";
import { bigPaths, libraries, smallPaths } from "./paths.ts";

/** Two ways to build, each with its parts, then what everybody needs. */
export function Paths() {
  return (
    <section className={styles.paths} aria-labelledby="paths">
      <h2 id="paths">
        <Translate id="home.paths.title">{"Start from what you need"}</Translate>
      </h2>
      <ul className={styles.big}>
        {bigPaths.map(({ title, text, to, link, features }) => (
          <li key={to}>
            <h3>{title}</h3>
            <p>{text}</p>
            <Links targets={features} />
            <Link className={styles.start} to={to}>
              {link}
            </Link>
          </li>
        ))}
      </ul>
      <ul className={styles.small}>
        {smallPaths.map(({ title, text, to, link }) => (
          <li key={to}>
            <h3>{title}</h3>
            <p>{text}</p>
            <Link to={to}>{link}</Link>
          </li>
        ))}
      </ul>
      <div className={styles.libraries}>
        <h3>
          <Translate id="home.libraries">{"In your programming language"}</Translate>
        </h3>
        <Links targets={libraries} />
      </div>
    </section>
  );
}

function Links({ targets }: { targets: { to: string; text: string }[] }) {
  return (
    <ul className={styles.features}>
      {targets.map(({ to, text }) => (
        <li key={to}>
          <Link to={to}>{text}</Link>
        </li>
      ))}
    </ul>
  );
}
