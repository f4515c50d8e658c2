import Link from "@docusaurus/Link";
import useBaseUrl from "@docusaurus/useBaseUrl";
import calls from "@generated/api-reference/default/proxy-calls.json";
import type { ProxyCall, ProxyField } from "@site/plugins/api-reference/proxy-calls.ts";
import { Prose } from "@site/src/components/Prose.tsx";
import { useBrokenLinksAnchor } from "@site/src/components/reference/anchors.ts";
import { MadeWhenOpen } from "@site/src/components/reference/MadeWhenOpen.tsx";
import styles from "@site/src/components/reference/reference.module.css";
import { Untranslated } from "@site/src/components/Untranslated.tsx";
import CodeBlock from "@theme/CodeBlock";
import Layout from "@theme/Layout";
// The colours of this language, which no other page in TSX needs.
import "prismjs/components/prism-bash.js";

/** The calls of the login proxy. They carry no stamp, so nothing here sends one. */
export default function LoginProxyReference() {
  return (
    <Layout
      title="Login proxy"
      description="Every call of the login proxy, with its fields, its errors and an example."
    >
      <div className={styles.page}>
        <nav className={styles.index} aria-label="Calls of the login proxy">
          <p className={styles.tag}>Login proxy</p>
          <div className={styles.lists}>
            <ul>
              {calls.map(({ name }) => (
                <li key={name}>
                  <a href={`#${name}`}>{name}</a>
                </li>
              ))}
            </ul>
          </div>
          <p className={styles.tag}>
            <Link to="/api">All other operations</Link>
          </p>
        </nav>
        <main className={styles.main}>
          <Untranslated>
            <header className={styles.intro}>
              <h1>Login proxy</h1>
              <p>
                Pages and apps without a backend send these calls, as the guide{" "}
                <Link to="/guides/login-proxy">Log in without a backend</Link> shows. They carry no
                stamp. Each is a <code>POST</code> with a JSON body, and names an organization in
                the header <code>X-Auth-Proxy-Config-ID</code>. Only pages whose origin is in its
                settings may read the answer.
              </p>
              <p>
                In the SDK, <code>LoginProxy</code> sends them, and encrypts and signs what they
                need. If a call succeeds, the status is 200. Otherwise the body is an{" "}
                <Link to="/developer-reference/api-overview/errors">error</Link> with a machine
                code. For programs, the same information is in{" "}
                <a href="/openapi.json">openapi.json</a>.
              </p>
            </header>
            {calls.map((call) => (
              <CallSection key={call.name} call={call} />
            ))}
          </Untranslated>
        </main>
      </div>
    </Layout>
  );
}

function CallSection({ call }: { call: ProxyCall }) {
  const { name, path, summary, description, isCaptcha, request, response, errors } = call;
  const page = useBaseUrl("/developer-reference/api-overview/errors");
  useBrokenLinksAnchor(name);
  return (
    <section id={name} className={styles.operation} aria-labelledby={`${name}-title`}>
      <h2 id={`${name}-title`} className={styles.title}>
        <a href={`#${name}`}>{summary}</a>
      </h2>
      <p className={styles.path}>
        <span className={styles.method}>POST</span> <code>{path}</code>
      </p>
      <p>
        <Prose text={description} />
      </p>
      {isCaptcha && (
        <p className={styles.policy}>
          If the organization asks for a captcha, <code>X-Captcha-Token</code> has its token.
        </p>
      )}
      <Fields fields={request} caption="Request" />
      <Fields fields={response} caption="Response" />
      <MadeWhenOpen className={styles.errors} summary="Errors">
        {() =>
          errors.map((code) => (
            <a key={code} href={`${page}#${code.toLowerCase().replaceAll("_", "-")}`}>
              {code}
            </a>
          ))
        }
      </MadeWhenOpen>
      <MadeWhenOpen className={styles.fold} summary="Example">
        {() => (
          <div className={styles.samples}>
            <CodeBlock language="bash">{commandOf(call)}</CodeBlock>
            <CodeBlock language="json" title="Example answer">
              {call.example.response}
            </CodeBlock>
          </div>
        )}
      </MadeWhenOpen>
    </section>
  );
}

/** As a program sends it, to an organization whose settings are for native apps. */
function commandOf({ path, isCaptcha, example }: ProxyCall): string {
  return [
    `curl http://localhost:3000${path}`,
    '  -H "Content-Type: application/json"',
    '  -H "X-Auth-Proxy-Config-ID: <your organization id>"',
    ...(isCaptcha ? ['  -H "X-Captcha-Token: <token of the captcha, if asked>"'] : []),
    `  -d '${example.request.replaceAll("'", "'\\''").replaceAll("\n", "\n  ")}'`,
  ].join(" \\\n");
}

function Fields({ fields, caption }: { fields: ProxyField[]; caption: string }) {
  const reference = useBaseUrl("/api");
  if (fields.length === 0) return <p className={styles.none}>{caption}: no fields.</p>;
  return (
    <table className={styles.fields}>
      <caption>{caption}</caption>
      <tbody>
        {fields.map(({ name, type, anchor, required, description, values }) => (
          <tr key={name}>
            <th scope="row">
              <code className={styles.name}>{name}</code>
              <span className={styles.type}>
                {anchor === null ? type : <a href={`${reference}#${anchor}`}>{type}</a>}
              </span>
              {required && <span className={styles.required}>required</span>}
            </th>
            <td>
              <Prose text={description} />
              {values.length > 0 && (
                <span className={styles.values}>
                  {values.map((value) => (
                    <code key={value}>{value}</code>
                  ))}
                </span>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
