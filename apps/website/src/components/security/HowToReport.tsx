import useDocusaurusContext from "@docusaurus/useDocusaurusContext";
import type { SecurityContact } from "@site/security-contact.ts";

/** Where to report, as the operator of this site has set it, or else at the project. */
export function HowToReport() {
  const { customFields } = useDocusaurusContext().siteConfig;
  // The configuration puts both of them there.
  const { repository, security } = customFields as {
    repository: string;
    security: SecurityContact;
  };
  const { contact, key, responseDays } = security;
  return (
    <ul>
      {contact !== null && (
        <li>
          <strong>To the operator of this site</strong>, if it is about this installation:{" "}
          <a href={contact}>{contact.replace(/^mailto:/, "")}</a>
          {key !== null && (
            <>
              , encrypted to <a href={key}>this key</a>
            </>
          )}
          {responseDays !== null &&
            `. You get an answer within ${responseDays} working ${responseDays === 1 ? "day" : "days"}.`}
        </li>
      )}
      {contact === null && (
        <li>
          <strong>To the operator of this site</strong>: they have set no address for reports. If
          your report is about this installation and not about the software, ask them for one by the
          way you normally reach them, and don’t send details yet.
        </li>
      )}
      <li>
        <strong>To the project</strong>, if it is about the software:{" "}
        <a href={`${repository}/security/advisories/new`}>report a vulnerability</a> at the host of
        the repository. Only maintainers can read the report. Please don’t open a public issue.
      </li>
    </ul>
  );
}
