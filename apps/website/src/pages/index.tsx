import Link from "@docusaurus/Link";
import signAMessage from "@site/snippets/sign-a-message.ts?raw";
import { CopyButton } from "@site/src/components/CopyButton.tsx";
import { TrustBoundary } from "@site/src/components/home/TrustBoundary.tsx";
import CodeBlock from "@theme/CodeBlock";
import Layout from "@theme/Layout";
import styles from "./index.module.css";

const start = "npm start";

export default function Home() {
  return (
    <Layout description="Open-source, self-hosted, non-custodial key and wallet infrastructure. Start it with one command and keep your keys.">
      <main className={styles.page}>
        <header className={styles.hero}>
          <div className={styles.heroText}>
            <h1>Keys and wallets that stay&nbsp;home</h1>
            <p>
              Keyhearth creates keys, keeps them in a signer that you run, and signs only what your
              users and your policies allow. It’s open source and doesn’t need anyone else’s cloud.
            </p>
            <div className={styles.actions}>
              <Link className={styles.primary} to="/getting-started/quickstart">
                Sign something now
              </Link>
              <Link className={styles.secondary} to="/concepts/overview">
                How it fits together
              </Link>
            </div>
          </div>
          <div className={styles.terminal}>
            <p className={styles.terminalTitle}>One command, in a clone of the repository</p>
            <div className={styles.command}>
              <code>
                <span aria-hidden="true">$ </span>
                {start}
              </code>
              <CopyButton text={start} label="the start command" />
            </div>
            <p>It starts everything on port 3000:</p>
            <ul>
              <li>
                <strong>This site</strong> and the <Link to="/api">API reference</Link>
              </li>
              <li>
                <strong>The API</strong> that both of them describe
              </li>
              <li>
                <strong>A root organization</strong> with an API key in{" "}
                <code>data/root-api-key.json</code>
              </li>
            </ul>
            <p className={styles.terminalNote}>
              The database is embedded. To use your own PostgreSQL, set its URL.
            </p>
          </div>
        </header>

        <section className={styles.sample} aria-labelledby="sample">
          <div className={styles.sampleText}>
            <h2 id="sample">A wallet and a signature</h2>
            <p>
              The client stamps every request with your API key. Before the signer uses a key, it
              verifies the stamp over the exact bytes that you sent.
            </p>
            <p>
              This file is part of the repository, and our tests run it. The{" "}
              <Link to="/getting-started/quickstart">quickstart</Link> explains a longer version
              step by step and verifies the signature.
            </p>
          </div>
          <div className={styles.sampleCode}>
            <CodeBlock language="ts" title="sign-a-message.ts">
              {signAMessage}
            </CodeBlock>
          </div>
        </section>

        <section className={styles.trust} aria-labelledby="trust">
          <div className={styles.trustText}>
            <h2 id="trust">Only the signer is trusted</h2>
            <p>
              The API and its database aren’t trusted. An attacker who controls them can refuse
              service or hide what happened, but can’t forge a user, a vote or a stamp.
            </p>
            <p>
              The signer holds the root key. It trusts only what it can verify: your stamp, and
              records that it notarized itself.
            </p>
            <p>
              By default, both run in one process. That protects you from someone who edits the
              database. In production, run the signer in its own process under its own user id, to
              protect your keys from the API process too.{" "}
              <Link to="/security/our-approach">Read about our approach to security</Link>.
            </p>
          </div>
          <TrustBoundary />
        </section>

        <section className={styles.paths} aria-labelledby="paths">
          <h2 id="paths">Start from what you need</h2>
          <ul>
            <li>
              <h3>Put wallets into an app</h3>
              <p>
                Create a sub-organization for each end user. They have their own credentials and
                wallets, and you have no write access.
              </p>
              <Link to="/concepts/sub-organizations">Sub-organizations</Link>
            </li>
            <li>
              <h3>Sign from a program</h3>
              <p>
                Your program has an API key and asks for signatures of transactions and raw
                payloads, on secp256k1 or Ed25519.
              </p>
              <Link to="/concepts/wallets">Wallets</Link>
            </li>
            <li>
              <h3>Require more than one person</h3>
              <p>
                With a root quorum of two out of three, a request waits for a second approval, which
                executes it exactly once.
              </p>
              <Link to="/concepts/users/root-quorum">Root quorum</Link>
            </li>
            <li>
              <h3>Run it yourself</h3>
              <p>
                Use a laptop or a server, the embedded database or PostgreSQL, and an embedded or a
                separate signer. One page lists all settings.
              </p>
              <Link to="/self-hosting/">Self-hosting</Link>
            </li>
          </ul>
        </section>
      </main>
    </Layout>
  );
}
