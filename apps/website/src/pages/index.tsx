import Link from "@docusaurus/Link";
import Translate, { translate } from "@docusaurus/Translate";
import useDocusaurusContext from "@docusaurus/useDocusaurusContext";
import install from "@site/snippets/install.sh?raw";
import signAMessage from "@site/snippets/sign-a-message.ts?raw";
import { CopyButton } from "@site/src/components/CopyButton.tsx";
import { Paths } from "@site/src/components/home/Paths.tsx";
import { Shown } from "@site/src/components/home/Shown.tsx";
import { TrustBoundary } from "@site/src/components/home/TrustBoundary.tsx";
import CodeBlock from "@theme/CodeBlock";
import Layout from "@theme/Layout";
import styles from "./index.module.css";

const RELEASES = "https://github.com/keyhearth/keyhearth/releases";
const [commands, file] = [install.trim().split("\n"), /keyhearth-[\d.]+\.tgz/.exec(install)?.[0]];

export default function Home() {
  const { siteConfig } = useDocusaurusContext();
  return (
    <Layout
      title={siteConfig.tagline}
      description={translate({
        id: "home.description",
        message:
          "Open-source, self-hosted, non-custodial key and wallet infrastructure. Start it with two commands and keep your keys.",
      })}
    >
      <main className={styles.page}>
        <header className={styles.hero}>
          <div className={styles.heroText}>
            <h1>
              <Translate id="home.title">{"Keys and wallets that stay home"}</Translate>
            </h1>
            <p>
              <Translate id="home.lead">
                {
                  "Keyhearth creates keys, keeps them in a signer that you run, and signs only what your users and your policies allow. It’s open source and doesn’t need anyone else’s cloud."
                }
              </Translate>
            </p>
            <div className={styles.actions}>
              <Link className={styles.primary} to="/getting-started/quickstart">
                <Translate id="home.start">{"Sign something now"}</Translate>
              </Link>
              <Link className={styles.secondary} to="/concepts/overview">
                <Translate id="home.concepts">{"How it fits together"}</Translate>
              </Link>
            </div>
          </div>
          <div className={styles.terminal}>
            <p className={styles.terminalTitle}>
              <Translate id="home.terminal">
                {"Two commands, in a folder with the release"}
              </Translate>
            </p>
            <div className={styles.command}>
              <div className={styles.lines}>
                {commands.map((command) => (
                  <code key={command}>
                    <span aria-hidden="true">$ </span>
                    {command}
                  </code>
                ))}
              </div>
              <CopyButton
                text={commands.join("\n")}
                label={translate({ id: "home.command", message: "the start commands" })}
              />
            </div>
            <p>
              <Translate
                id="home.release"
                values={{
                  file: <code>{file}</code>,
                  release: (
                    <Link to={RELEASES}>
                      <Translate id="home.release.name">{"release"}</Translate>
                    </Link>
                  ),
                }}
              >
                {"{file} is a file of each {release}. It isn’t on npm’s registry yet."}
              </Translate>
            </p>
            <p>
              <Translate id="home.starts">
                {"The second one starts everything on port 3000:"}
              </Translate>
            </p>
            <ul>
              <li>
                <Translate
                  id="home.starts.site"
                  values={{
                    site: (
                      <strong>
                        <Translate id="home.starts.site.name">{"This site"}</Translate>
                      </strong>
                    ),
                    reference: (
                      <Link to="/api">
                        <Translate id="home.starts.site.reference">{"API reference"}</Translate>
                      </Link>
                    ),
                  }}
                >
                  {"{site} and the {reference}"}
                </Translate>
              </li>
              <li>
                <Translate
                  id="home.starts.api"
                  values={{
                    api: (
                      <strong>
                        <Translate id="home.starts.api.name">{"The API"}</Translate>
                      </strong>
                    ),
                  }}
                >
                  {"{api} that both of them describe"}
                </Translate>
              </li>
              <li>
                <Translate
                  id="home.starts.organization"
                  values={{
                    organization: (
                      <strong>
                        <Translate id="home.starts.organization.name">
                          {"A root organization"}
                        </Translate>
                      </strong>
                    ),
                    file: <code>data/root-api-key.json</code>,
                  }}
                >
                  {"{organization} with an API key in {file}"}
                </Translate>
              </li>
            </ul>
            <p className={styles.terminalNote}>
              <Translate id="home.database">
                {"The database is embedded. To use your own PostgreSQL, set its URL."}
              </Translate>
            </p>
          </div>
        </header>

        <section className={styles.sample} aria-labelledby="sample">
          <div className={styles.sampleText}>
            <h2 id="sample">
              <Translate id="home.sample.title">{"A wallet and a signature"}</Translate>
            </h2>
            <p>
              <Translate id="home.sample.stamp">
                {
                  "The client stamps every request with your API key. Before the signer uses a key, it verifies the stamp over the exact bytes that you sent."
                }
              </Translate>
            </p>
            <p>
              <Translate
                id="home.sample.file"
                values={{
                  quickstart: (
                    <Link to="/getting-started/quickstart">
                      <Translate id="home.sample.quickstart">{"quickstart"}</Translate>
                    </Link>
                  ),
                }}
              >
                {
                  "This file is part of the repository, and our tests run it. The {quickstart} explains a longer version step by step and verifies the signature."
                }
              </Translate>
            </p>
          </div>
          <div className={styles.sampleCode}>
            <CodeBlock language="ts" title="sign-a-message.ts">
              {signAMessage}
            </CodeBlock>
          </div>
        </section>

        <Shown />

        <section className={styles.trust} aria-labelledby="trust">
          <div className={styles.trustText}>
            <h2 id="trust">
              <Translate id="home.trust.title">{"Only the signer is trusted"}</Translate>
            </h2>
            <p>
              <Translate id="home.trust.host">
                {
                  "The API and its database aren’t trusted. An attacker who controls them can refuse service or hide what happened, but can’t forge a user, a vote or a stamp."
                }
              </Translate>
            </p>
            <p>
              <Translate id="home.trust.signer">
                {
                  "The signer holds the root key. It trusts only what it can verify: your stamp, and records that it notarized with a key that only it has."
                }
              </Translate>
            </p>
            <p>
              <Translate
                id="home.trust.processes"
                values={{
                  approach: (
                    <Link to="/security/our-approach">
                      <Translate id="home.trust.approach">
                        {"Read about our approach to security"}
                      </Translate>
                    </Link>
                  ),
                }}
              >
                {
                  "By default, the API and the signer run in one process. Even that protects you from someone who edits the database. In production, run the signer in its own process under its own user id, to protect your keys from the API process too. {approach}."
                }
              </Translate>
            </p>
          </div>
          <TrustBoundary />
        </section>

        <Paths />
      </main>
    </Layout>
  );
}
