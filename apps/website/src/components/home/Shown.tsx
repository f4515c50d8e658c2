import Link from "@docusaurus/Link";
import Translate from "@docusaurus/Translate";
import ThemedImage from "@theme/ThemedImage";
import styles from "./Shown.module.css";
import { pictures } from "./shown.ts";

/** What people see of a running service, photographed by `npm run pictures`. */
export function Shown() {
  return (
    <section className={styles.shown} aria-labelledby="shown">
      <h2 id="shown">
        <Translate id="home.shown.title">{"What you and your users see"}</Translate>
      </h2>
      <ul className={styles.pictures}>
        {pictures.map(({ name, title, text, alt, to, link }) => (
          <li key={name}>
            <ThemedImage
              className={styles.picture}
              alt={alt}
              width={390}
              height={600}
              loading="lazy"
              sources={{
                light: `/img/shown/${name}-light.webp`,
                dark: `/img/shown/${name}-dark.webp`,
              }}
            />
            <div>
              <h3>{title}</h3>
              <p>{text}</p>
              <Link to={to}>{link}</Link>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
