// The site's tables of limits, from the files that enforce them.

import { mkdirSync, writeFileSync } from "node:fs";
import { ASSISTANT_LIMITS } from "../apps/api/src/assistant/assistant.ts";
import { MODEL_LIMITS } from "../apps/api/src/assistant/model.ts";
import {
  DEFAULT_RATE_LIMITS,
  describeWindows,
  OTHER_REQUESTS,
  type Window,
  windowOfNetwork,
  windowOfOneSub,
  windowOfPlace,
  windowOfProxy,
  windowOfProxySite,
  windowOfSignups,
  windowOfSite,
  windowOfVisitor,
} from "../apps/api/src/config/rate-limits.ts";
import { DEFAULT_STORAGE_LIMIT } from "../apps/api/src/config/storage-limit.ts";
import { SUBMISSION_BOUNDS } from "../apps/api/src/fairness/concurrency-limit.ts";
import { LONGEST_WAIT_MS } from "../apps/api/src/fairness/line.ts";
import type { PaceLimits } from "../apps/api/src/fairness/pace.ts";
import { UNDER_WAY_LIMITS } from "../apps/api/src/fairness/under-way.ts";
import { WAITING_LIMITS } from "../apps/api/src/fairness/waiting-bytes.ts";
import {
  IN_TOTAL as FEEDBACK_IN_TOTAL,
  PER_ADDRESS as FEEDBACK_OF_ADDRESS,
  OF_TOTAL as FEEDBACK_OF_SITE,
} from "../apps/api/src/feedback/feedback.ts";
import { MAX_IN_FLIGHT } from "../apps/api/src/host/in-flight.ts";
import { LARGE_REQUEST_LIMITS } from "../apps/api/src/host/large-requests.ts";
import { NETWORKS_OF_A_SITE } from "../apps/api/src/host/rate-limit.ts";
import { AT_ONCE, IN_TOTAL, PER_ADDRESS, PER_REGION } from "../apps/api/src/host/signup.ts";
import {
  MAX_BODY_BYTES,
  MAX_QUERY_BYTES,
  MAX_UNSTATED_BYTES,
} from "../apps/api/src/http/bodies.ts";
import { MAX_AHEAD } from "../apps/api/src/http/connections.ts";
import { HELD_LIMITS } from "../apps/api/src/http/held-bytes.ts";
import { MAX_HEADERS } from "../apps/api/src/http/many-headers.ts";
import { MAX_VALUES } from "../apps/api/src/http/many-values.ts";
import { boundsFor } from "../apps/api/src/http/open-connections.ts";
import { MAX_UNKNOWN } from "../apps/api/src/http/unknown-members.ts";
import { LIMITS as WEBHOOK_LIMITS } from "../apps/api/src/jobs/webhooks/deliver.ts";
import { CALLS as AGENT_CALLS } from "../apps/api/src/library/mcp.ts";
import { MAX_PROVEN_BYTES } from "../apps/api/src/presentation/private-keys.ts";
import {
  NETWORKS_OF_WRONG_CODES,
  PROXY_CALLS,
  PROXY_PLACES,
  PROXY_SIGN_UPS,
  PROXY_WRONG_CODES,
} from "../apps/api/src/proxy/proxy.ts";
import { MAX_TEXT_BYTES } from "../apps/api/src/queries/list-smart-contract-interfaces.ts";
import { MAX_SIMULATION_BYTES } from "../apps/api/src/queries/simulate-activity.ts";
import { MAX_ANSWER_LENGTH } from "../apps/api/src/query/text.ts";
import { MAX_PAGE_BYTES } from "../apps/api/src/reader/allowance.ts";
import { READER_LIMITS } from "../apps/api/src/reader/reader-turns.ts";
import { WINDOW_ROWS } from "../apps/api/src/store/windows.ts";
import { MAX_FUNCTIONS, MAX_PARAMETERS } from "../packages/crypto/src/transactions/abi.ts";
import { MAX_IDL_PARTS, MAX_INSTRUCTIONS } from "../packages/crypto/src/transactions/anchor-idl.ts";
import { MAX_TYPE_TEXTS } from "../packages/crypto/src/transactions/typed-data-hash.ts";
import { MAX_PARSED_BYTES } from "../packages/engine/src/chains/contract-interfaces.ts";
import { MAX_CHARACTERS } from "../packages/engine/src/chains/solana-roots.ts";
import { MAX_ADDRESSES } from "../packages/engine/src/keys/private-keys.ts";
import { LIMITS } from "../packages/engine/src/records/limits.ts";
import { MAX_SESSION_ENTRIES } from "../packages/engine/src/records/sessions.ts";

const path = new URL("../apps/website/docs/_partials/", import.meta.url);
const spanishPath = new URL(
  "../apps/website/i18n/es/docusaurus-plugin-content-docs/current/_partials/",
  import.meta.url,
);

type Limit = Exclude<
  keyof typeof LIMITS,
  "subOrganizationTags" | "fewWaiting" | "fewChanges" | "fewVotesOnly"
>;

/** Every limit has a row, in this order. */
const nouns: Record<Limit, string> = {
  privateKeys: "Private keys",
  wallets: "Wallets",
  deletedWalletAccounts: "Deleted accounts that are remembered",
  votedAccountRequests: "Requests for accounts of its wallets that approvals decided",
  votedCodes: "One-time codes that approvals decided and that have not expired",
  votesOnlyPerUser: "Requests of a user for accounts, logins and codes that waited for approvals",
  votesOnly: "Requests of all users for accounts, logins and codes that waited for approvals",
  users: "Users",
  policies: "Policies",
  policyParts: "Parts of all policies together",
  smartContractInterfaces: "Contract interfaces",
  webhookEndpoints: "Webhook endpoints",
  oauth2Credentials: "OAuth 2.0 credentials",
  invitations: "Open invitations",
  tags: "Tags of users and private keys together",
  authenticatorsPerUser: "Passkeys of a user",
  apiKeysPerUser: "API keys of a user that don’t expire",
  oauthProvidersPerUser: "Social logins of a user",
  waitingPerUser: "Activities of a user that wait for approvals",
  waiting: "Activities of all users that wait for approvals",
  changesPerUser: "Changes by a user within an hour, with what waits",
  changes: "Changes by all users within an hour, with what waits",
  ownChangesPerUser: "Changes of own credentials by a user within an hour, without a permission",
};

const spanishNouns: Record<Limit, string> = {
  privateKeys: "Claves privadas",
  wallets: "Wallets",
  deletedWalletAccounts: "Cuentas eliminadas que se recuerdan",
  votedAccountRequests: "Solicitudes de cuentas de sus wallets que decidieron aprobaciones",
  votedCodes: "Códigos de un solo uso que decidieron aprobaciones y que no han caducado",
  votesOnlyPerUser:
    "Solicitudes de un usuario de cuentas, inicios de sesión y códigos que esperaron aprobaciones",
  votesOnly:
    "Solicitudes de todos los usuarios de cuentas, inicios de sesión y códigos que esperaron aprobaciones",
  users: "Usuarios",
  policies: "Políticas",
  policyParts: "Partes de todas las políticas en conjunto",
  smartContractInterfaces: "Interfaces de contratos",
  webhookEndpoints: "Endpoints de webhooks",
  oauth2Credentials: "Credenciales de OAuth 2.0",
  invitations: "Invitaciones abiertas",
  tags: "Etiquetas de usuarios y de claves privadas en conjunto",
  authenticatorsPerUser: "Passkeys de un usuario",
  apiKeysPerUser: "Claves de API de un usuario que no vencen",
  oauthProvidersPerUser: "Inicios de sesión sociales de un usuario",
  waitingPerUser: "Actividades de un usuario que esperan aprobaciones",
  waiting: "Actividades de todos los usuarios que esperan aprobaciones",
  changesPerUser: "Cambios de un usuario en una hora, con lo que espera",
  changes: "Cambios de todos los usuarios en una hora, con lo que espera",
  ownChangesPerUser: "Cambios de credenciales propias de un usuario en una hora, sin permiso",
};

const rows = Object.entries(nouns).map(([name, noun]) => {
  // `nouns` has these names alone.
  const most = LIMITS[name as Limit];
  const sub = name === "tags" ? LIMITS.subOrganizationTags : most;
  return { noun, spanish: spanishNouns[name as Limit], most, sub };
});

write("resource-limits.mdx", [
  "{/* Generated by `npm run generate` from the limits in packages/engine. */}",
  "",
  "| Resource | Organization | Sub-organization |",
  "| --- | --- | --- |",
  ...rows.map(({ noun, most, sub }) => `| ${noun} | ${show(most)} | ${show(sub)} |`),
  `| API keys and sessions of a user that expire | ${MAX_SESSION_ENTRIES} | ${MAX_SESSION_ENTRIES} |`,
  "| Accounts of a wallet | unlimited | unlimited |",
  "| Sub-organizations | unlimited | none |",
]);

write(
  "resource-limits.mdx",
  [
    "{/* Generated by `npm run generate` from the limits in packages/engine. */}",
    "",
    "| Recurso | Organización | Suborganización |",
    "| --- | --- | --- |",
    ...rows.map(({ spanish, most, sub }) => `| ${spanish} | ${show(most)} | ${show(sub)} |`),
    `| Claves de API y sesiones de un usuario que vencen | ${MAX_SESSION_ENTRIES} | ${MAX_SESSION_ENTRIES} |`,
    "| Cuentas de una wallet | sin límite | sin límite |",
    "| Suborganizaciones | sin límite | ninguna |",
  ],
  spanishPath,
);

const { contact, receiver, identifier } = DEFAULT_RATE_LIMITS;
const { familyEmail, familySms, totalEmail, totalSms } = DEFAULT_RATE_LIMITS;
const address = DEFAULT_RATE_LIMITS.address ?? 0;
const credential = DEFAULT_RATE_LIMITS.credential ?? 0;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

type RequestLimit = {
  english: string;
  spanish: string;
  /** Requests per second, windows, or text that is the same in both languages. */
  value: number | Window[] | string;
  /** The part of the setting, or another setting. Null if the limit is fixed. */
  part: string | null;
};

/** What the service lets clients and tenants do, in one table. */
const requestLimits: RequestLimit[] = [
  {
    english: "Requests to the API of one client address, to all processes together",
    spanish: "Solicitudes a la API de una dirección de cliente, a todos los procesos en conjunto",
    value: address,
    part: "address",
  },
  {
    english: "Other requests of one client address: pages, documents, preflights, mistakes",
    spanish: "Otras solicitudes de una dirección: páginas, documentos, preflights, errores",
    value: OTHER_REQUESTS * address,
    part: "address",
  },
  {
    english: "Both, of all networks of one IPv6 site (`/48`)",
    spanish: "Ambas, de todas las redes de un sitio IPv6 (`/48`)",
    value: `${NETWORKS_OF_A_SITE} ×`,
    part: "address",
  },
  {
    english: "Requests of one credential, to all processes together",
    spanish: "Solicitudes de una credencial, a todos los procesos en conjunto",
    value: credential,
    part: "credential",
  },
  {
    english: "Messages to one contact from one organization with its sub-organizations",
    spanish: "Mensajes a un contacto de una organización con sus suborganizaciones",
    value: contact,
    part: "contact",
  },
  {
    english:
      "The same from its login proxy, apart from these, for one address or IPv6 site (`/48`)",
    spanish:
      "Lo mismo de su proxy de inicio de sesión, aparte de estos, para una dirección o un sitio IPv6 (`/48`)",
    value: contact.map(windowOfVisitor),
    part: "contact",
  },
  {
    english: "Messages to one contact from all of the operator’s organizations",
    spanish: "Mensajes a un contacto de todas las organizaciones del operador",
    value: receiver,
    part: "receiver",
  },
  {
    english: "Messages to one contact from all organizations that signed up",
    spanish: "Mensajes a un contacto de todas las organizaciones que se registraron",
    value: receiver.map(windowOfSignups),
    part: "receiver",
  },
  {
    english: "The same, if they signed up from one address or IPv6 site (`/48`)",
    spanish: "Lo mismo, si se registraron desde una dirección o un sitio IPv6 (`/48`)",
    value: receiver.map(windowOfPlace),
    part: "receiver",
  },
  {
    english: "Codes and links for one `userIdentifier` of one organization",
    spanish: "Códigos y enlaces para un `userIdentifier` de una organización",
    value: identifier,
    part: "identifier",
  },
  {
    english: "Emails that the application sends, as one organization or for its sub-organizations",
    spanish: "Correos que envía la aplicación, como organización o para sus suborganizaciones",
    value: windowsOf(familyEmail),
    part: "family-email",
  },
  {
    english: "Emails that the users of all its sub-organizations send, apart from these",
    spanish: "Correos que envían los usuarios de todas sus suborganizaciones, aparte de estos",
    value: windowsOf(familyEmail),
    part: "family-email",
  },
  {
    english: "Emails that the users of one sub-organization send of those",
    spanish: "Correos que de esos envían los usuarios de una suborganización",
    value: windowsOf(familyEmail && windowOfOneSub(familyEmail, "email")),
    part: "family-email",
  },
  {
    english: "Emails that a login proxy sends of the application’s",
    spanish: "Correos que de los de la aplicación envía un proxy de inicio de sesión",
    value: windowsOf(familyEmail && windowOfProxy(familyEmail)),
    part: "family-email",
  },
  {
    english: "Of those, for one address or IPv6 site (`/48`)",
    spanish: "De esos, para una dirección o un sitio IPv6 (`/48`)",
    value: windowsOf(familyEmail && windowOfProxySite(familyEmail)),
    part: "family-email",
  },
  {
    english: "SMS that the application sends, as one organization or for its sub-organizations",
    spanish: "SMS que envía la aplicación, como organización o para sus suborganizaciones",
    value: windowsOf(familySms),
    part: "family-sms",
  },
  {
    english: "SMS that the users of all its sub-organizations send, apart from these",
    spanish: "SMS que envían los usuarios de todas sus suborganizaciones, aparte de estos",
    value: windowsOf(familySms),
    part: "family-sms",
  },
  {
    english: "SMS that the users of one sub-organization send of those",
    spanish: "SMS que de esos envían los usuarios de una suborganización",
    value: windowsOf(familySms && windowOfOneSub(familySms, "sms")),
    part: "family-sms",
  },
  {
    english: "SMS that a login proxy sends of the application’s",
    spanish: "SMS que de los de la aplicación envía un proxy de inicio de sesión",
    value: windowsOf(familySms && windowOfProxy(familySms)),
    part: "family-sms",
  },
  {
    english: "Of those, for one address or IPv6 site (`/48`)",
    spanish: "De esos, para una dirección o un sitio IPv6 (`/48`)",
    value: windowsOf(familySms && windowOfProxySite(familySms)),
    part: "family-sms",
  },
  {
    english: "Emails of all organizations",
    spanish: "Correos de todas las organizaciones",
    value: windowsOf(totalEmail),
    part: "total-email",
  },
  {
    english: "SMS of all organizations",
    spanish: "SMS de todas las organizaciones",
    value: windowsOf(totalSms),
    part: "total-sms",
  },
  ...signupLimits("Emails", "Correos", "email", totalEmail),
  ...signupLimits("SMS", "SMS", "sms", totalSms),
  {
    english: "New organizations of one address within an hour, if signup is open",
    spanish: "Organizaciones nuevas de una dirección en una hora, si el registro está abierto",
    value: show(PER_ADDRESS),
    part: null,
  },
  {
    english: "New organizations of all addresses within an hour",
    spanish: "Organizaciones nuevas de todas las direcciones en una hora",
    value: show(IN_TOTAL),
    part: null,
  },
  {
    english: "Beyond that, of the addresses of one network of a provider (/16, IPv6 /32)",
    spanish: "Además de esas, de las direcciones de una red de un proveedor (/16, IPv6 /32)",
    value: show(PER_REGION),
    part: null,
  },
  {
    english: "New organizations of one address or IPv6 site under way",
    spanish: "Organizaciones nuevas en curso de una dirección o un sitio IPv6",
    value: show(AT_ONCE),
    part: null,
  },
  {
    english: `The same, while ${SUBMISSION_BOUNDS.free} of all addresses are under way`,
    spanish: `Lo mismo, mientras hay ${SUBMISSION_BOUNDS.free} en curso de todas las direcciones`,
    value: "1",
    part: null,
  },
  {
    english: "Headers of a request",
    spanish: "Encabezados de una solicitud",
    value: show(MAX_HEADERS),
    part: null,
  },
  {
    english: "Size of a request",
    spanish: "Tamaño de una solicitud",
    value: bytes(MAX_BODY_BYTES),
    part: null,
  },
  {
    english: "Size of a query",
    spanish: "Tamaño de una consulta",
    value: bytes(MAX_QUERY_BYTES),
    part: null,
  },
  {
    english: "Size of a simulation",
    spanish: "Tamaño de una simulación",
    value: bytes(MAX_SIMULATION_BYTES),
    part: null,
  },
  {
    english: "Queries of more than 4 KiB of one organization until they are answered",
    spanish: "Consultas de más de 4 KiB de una organización hasta que se responden",
    value: bytes(WAITING_LIMITS.organization),
    part: null,
  },
  {
    english: "The same, of all sub-organizations of one organization",
    spanish: "Lo mismo, de todas las suborganizaciones de una organización",
    value: bytes(WAITING_LIMITS.group),
    part: null,
  },
  {
    english: "The same, of all organizations that signed up",
    spanish: "Lo mismo, de todas las organizaciones que se registraron",
    value: bytes(WAITING_LIMITS.signups),
    part: null,
  },
  {
    english: "How long a query waits for its turn",
    spanish: "Cuánto espera una consulta su turno",
    value: `${LONGEST_WAIT_MS / 1000} s`,
    part: null,
  },
  {
    english: "Unknown fields of a request of more than 16 KiB",
    spanish: "Campos desconocidos de una solicitud de más de 16 KiB",
    value: show(MAX_UNKNOWN),
    part: null,
  },
  {
    english: "Values in a request of more than 16 KiB",
    spanish: "Valores en una solicitud de más de 16 KiB",
    value: show(MAX_VALUES),
    part: null,
  },
  {
    english: "Size of a request that does not state its length",
    spanish: "Tamaño de una solicitud que no indica su longitud",
    value: bytes(MAX_UNSTATED_BYTES),
    part: null,
  },
  {
    english: "What one organization with its sub-organizations stores",
    spanish: "Lo que almacena una organización con sus suborganizaciones",
    value: bytes(DEFAULT_STORAGE_LIMIT),
    part: "KEYHEARTH_STORAGE_LIMIT",
  },
  {
    english:
      "Open connections of one address or IPv6 site, or half of the next row if that is less",
    spanish:
      "Conexiones abiertas de una dirección o un sitio IPv6, o la mitad de la fila siguiente si es menos",
    value: show(boundsFor(null).mostOfAddress),
    part: null,
  },
  {
    english: "Open connections, or fewer if the process may open fewer files",
    spanish: "Conexiones abiertas, o menos si el proceso puede abrir menos archivos",
    value: show(boundsFor(null).most),
    part: null,
  },
  {
    english: "Requests of one address or IPv6 site in flight",
    spanish: "Solicitudes en curso de una dirección o un sitio IPv6",
    value: show(MAX_IN_FLIGHT),
    part: null,
  },
  {
    english: "Requests that one connection sends ahead of an answer",
    spanish: "Solicitudes que una conexión envía antes de una respuesta",
    value: show(MAX_AHEAD),
    part: null,
  },
  {
    english:
      "Requests of one address or IPv6 site whose body is on its way, or half of its connections if that is less",
    spanish:
      "Solicitudes de una dirección o un sitio IPv6 cuyo cuerpo está en camino, o la mitad de sus conexiones si es menos",
    value: show(HELD_LIMITS.arrivingOfAddress),
    part: null,
  },
  {
    english: "Bodies of one address or IPv6 site whose stamp is not verified yet",
    spanish: "Cuerpos de una dirección o un sitio IPv6 cuyo sello aún no se verificó",
    value: bytes(HELD_LIMITS.bytesOfAddress),
    part: null,
  },
  {
    english: "Such bodies of all addresses",
    spanish: "Tales cuerpos de todas las direcciones",
    value: bytes(HELD_LIMITS.bytes),
    part: null,
  },
  {
    english: "Records of the activities on one page of a list, unless the first is larger",
    spanish:
      "Registros de las actividades en una página de una lista, salvo que la primera sea mayor",
    value: bytes(MAX_PAGE_BYTES),
    part: null,
  },
  {
    english: "Rows that a list with a filter reads before it counts as a long answer",
    spanish: "Filas que lee una lista con filtro antes de contar como respuesta larga",
    value: show(WINDOW_ROWS),
    part: null,
  },
  {
    english: "Addresses of the private keys that one request creates",
    spanish: "Direcciones de las claves privadas que crea una solicitud",
    value: `${MAX_ADDRESSES}`,
    part: null,
  },
  {
    english: "Functions of an Ethereum interface",
    spanish: "Funciones de una interfaz de Ethereum",
    value: `${MAX_FUNCTIONS}`,
    part: null,
  },
  {
    english: "Its inputs, outputs and components, with each `[]` counted too",
    spanish: "Sus entradas, salidas y componentes, contando también cada `[]`",
    value: show(MAX_PARAMETERS),
    part: null,
  },
  {
    english: "Instructions of an Anchor IDL",
    spanish: "Instrucciones de un IDL de Anchor",
    value: show(MAX_INSTRUCTIONS),
    part: null,
  },
  {
    english: "Its accounts, fields, variants and types",
    spanish: "Sus cuentas, campos, variantes y tipos",
    value: show(MAX_IDL_PARTS),
    part: null,
  },
  {
    english: "Memory that a contract interface takes once it is parsed",
    spanish: "Memoria que ocupa una interfaz de contrato una vez analizada",
    value: bytes(MAX_PARSED_BYTES),
    part: null,
  },
  {
    english: "Characters of the IDLs of all programs that policies read in one transaction",
    spanish:
      "Caracteres de los IDL de todos los programas que las políticas leen en una transacción",
    value: show(MAX_CHARACTERS),
    part: null,
  },
  {
    english: "Characters of typed data’s types, each with those of the structs that it uses",
    spanish:
      "Caracteres de los tipos de datos tipados, cada uno con los de las estructuras que usa",
    value: show(MAX_TYPE_TEXTS),
    part: null,
  },
  {
    english: "Texts of contract interfaces in a list",
    spanish: "Textos de interfaces de contratos en una lista",
    value: bytes(MAX_TEXT_BYTES),
    part: null,
  },
  {
    english: "Records of private keys in a list whose addresses have their proofs",
    spanish: "Registros de claves privadas en una lista cuyas direcciones llevan sus pruebas",
    value: bytes(MAX_PROVEN_BYTES),
    part: null,
  },
  {
    english: "An answer",
    spanish: "Una respuesta",
    value: bytes(MAX_ANSWER_LENGTH),
    part: null,
  },
  {
    english:
      "Memory of large requests under way and of answers until they are read, of one organization",
    spanish:
      "Memoria de solicitudes grandes en curso y de respuestas hasta que se leen, de una organización",
    value: bytes(UNDER_WAY_LIMITS.organization),
    part: null,
  },
  {
    english: "The same, of one sub-organization",
    spanish: "Lo mismo, de una suborganización",
    value: bytes(UNDER_WAY_LIMITS.subOrganization),
    part: null,
  },
  {
    english: "The same, of all sub-organizations of one organization",
    spanish: "Lo mismo, de todas las suborganizaciones de una organización",
    value: bytes(UNDER_WAY_LIMITS.subOrganizations),
    part: null,
  },
  {
    english: "The same, of all organizations",
    spanish: "Lo mismo, de todas las organizaciones",
    value: bytes(UNDER_WAY_LIMITS.total),
    part: null,
  },
  {
    english: "Time for long answers of one organization, and of all its sub-organizations",
    spanish: "Tiempo para respuestas largas de una organización, y de todas sus suborganizaciones",
    value: timeOf(READER_LIMITS.family),
    part: null,
  },
  {
    english: "The same, of all organizations that signed up",
    spanish: "Lo mismo, de todas las organizaciones que se registraron",
    value: timeOf(READER_LIMITS.signups),
    part: null,
  },
  {
    english:
      "Requests of more than 16 KiB of one organization, votes about activities of 64 KiB and more, deliveries of that size that are sent again, and, with half of what is beyond 64 KiB, its document each time that it changes",
    spanish:
      "Solicitudes de más de 16 KiB de una organización, votos sobre actividades de 64 KiB o más, entregas de ese tamaño que se envían de nuevo y, con la mitad de lo que supera 64 KiB, su documento cada vez que cambia",
    value: paceOf(LARGE_REQUEST_LIMITS.organization),
    part: null,
  },
  {
    english: "The same, of all sub-organizations of one organization",
    spanish: "Lo mismo, de todas las suborganizaciones de una organización",
    value: paceOf(LARGE_REQUEST_LIMITS.subOrganizations),
    part: null,
  },
  {
    english: "The same, of all organizations that signed up",
    spanish: "Lo mismo, de todas las organizaciones que se registraron",
    value: paceOf(LARGE_REQUEST_LIMITS.signups),
    part: null,
  },
  {
    english:
      "Webhook events of 64 KiB and more that one organization causes, and all its sub-organizations",
    spanish:
      "Eventos de webhook de 64 KiB o más que causan una organización, y todas sus suborganizaciones",
    value: paceOf(WEBHOOK_LIMITS.large),
    part: null,
  },
  {
    english: "The same, of all organizations that signed up",
    spanish: "Lo mismo, de todas las organizaciones que se registraron",
    value: paceOf(WEBHOOK_LIMITS.largeOfSignups),
    part: null,
  },
  {
    english: "Questions of one address to the assistant’s model, if the operator has one",
    spanish: "Preguntas de una dirección al modelo del asistente, si el operador tiene uno",
    value: [{ most: ASSISTANT_LIMITS.ofAddress, withinMs: MINUTE_MS }],
    part: null,
  },
  {
    english: "The same, of one address or IPv6 site",
    spanish: "Lo mismo, de una dirección o un sitio IPv6",
    value: [{ most: ASSISTANT_LIMITS.ofSite, withinMs: DAY_MS }],
    part: null,
  },
  {
    english: "The same, of all addresses",
    spanish: "Lo mismo, de todas las direcciones",
    value: [{ most: ASSISTANT_LIMITS.inTotal, withinMs: DAY_MS }],
    part: null,
  },
  {
    english: "Answers of the model under way for one address or IPv6 site, and for all",
    spanish: "Respuestas del modelo en curso para una dirección o un sitio IPv6, y para todas",
    value: `${ASSISTANT_LIMITS.openOfSite}, ${ASSISTANT_LIMITS.open}`,
    part: null,
  },
  {
    english: "Time for an answer of the model",
    spanish: "Tiempo para una respuesta del modelo",
    value: `${MODEL_LIMITS.totalMs / 1000} s`,
    part: null,
  },
  {
    english: "Calls of one address to `/mcp`",
    spanish: "Llamadas de una dirección a `/mcp`",
    value: `${AGENT_CALLS.burst} + ${AGENT_CALLS.perSecond}/s`,
    part: null,
  },
  {
    english: "Calls of one address to a login proxy",
    spanish: "Llamadas de una dirección a un proxy de inicio de sesión",
    value: [{ most: PROXY_CALLS.ofAddress, withinMs: PROXY_CALLS.withinSeconds * 1000 }],
    part: null,
  },
  {
    english: "Sign-ups of one address by a login proxy that prove no contact and no social login",
    spanish:
      "Registros de una dirección por un proxy de inicio de sesión que no demuestran ni contacto ni inicio social",
    value: [{ most: PROXY_SIGN_UPS.ofAddress, withinMs: PROXY_SIGN_UPS.withinSeconds * 1000 }],
    part: null,
  },
  {
    english: "Codes of one address that X or Discord refused, by a login proxy",
    spanish: "Códigos de una dirección que X o Discord rechazó, por un proxy de inicio de sesión",
    value: [
      { most: PROXY_WRONG_CODES.ofAddress, withinMs: PROXY_WRONG_CODES.withinSeconds * 1000 },
    ],
    part: null,
  },
  {
    english: "The same, of all networks of one IPv6 site (`/48`)",
    spanish: "Lo mismo, de todas las redes de un sitio IPv6 (`/48`)",
    value: [
      {
        most: NETWORKS_OF_WRONG_CODES * PROXY_WRONG_CODES.ofAddress,
        withinMs: PROXY_WRONG_CODES.withinSeconds * 1000,
      },
    ],
    part: null,
  },
  {
    english:
      "Calls of login proxies under way, of one address or IPv6 site, of one organization, and of all",
    spanish:
      "Llamadas a proxies de inicio de sesión en curso, de una dirección o un sitio IPv6, de una organización, y de todas",
    value: `${PROXY_PLACES.ofSite}, ${PROXY_PLACES.ofConfiguration}, ${PROXY_PLACES.inTotal}`,
    part: null,
  },
  {
    english: "Votes and words about pages of one address",
    spanish: "Votos y comentarios sobre páginas de una dirección",
    value: [{ most: FEEDBACK_OF_ADDRESS, withinMs: MINUTE_MS }],
    part: null,
  },
  {
    english: "The same, of one address or IPv6 site",
    spanish: "Lo mismo, de una dirección o un sitio IPv6",
    value: [{ most: FEEDBACK_OF_SITE, withinMs: HOUR_MS }],
    part: null,
  },
  {
    english: "The same, of all addresses",
    spanish: "Lo mismo, de todas las direcciones",
    value: [{ most: FEEDBACK_IN_TOTAL, withinMs: HOUR_MS }],
    part: null,
  },
];

write("rate-limits.mdx", [
  "{/* Generated by `npm run generate` from apps/api/src/config/rate-limits.ts and apps/api/src/http. */}",
  "",
  "| Limit | Default | Part of the setting |",
  "| --- | --- | --- |",
  ...requestLimits.map(({ english, value, part }) => {
    const shown = typeof value === "number" ? `${value} a second` : shownValue(value);
    return `| ${english} | ${shown} | ${part === null ? "fixed" : `\`${part}\``} |`;
  }),
]);

write(
  "rate-limits.mdx",
  [
    "{/* Generated by `npm run generate` from apps/api/src/config/rate-limits.ts and apps/api/src/http. */}",
    "",
    "| Límite | Valor predeterminado | Parte del ajuste |",
    "| --- | --- | --- |",
    ...requestLimits.map(({ spanish, value, part }) => {
      const shown =
        typeof value === "number"
          ? `${value} por segundo`
          : typeof value === "string"
            ? value
            : inSpanish(shownValue(value));
      return `| ${spanish} | ${shown} | ${part === null ? "fijo" : `\`${part}\``} |`;
    }),
  ],
  spanishPath,
);

/** What families that signed up take of a total. */
function signupLimits(
  noun: string,
  spanishNoun: string,
  channel: "email" | "sms",
  total: Window | null,
): RequestLimit[] {
  if (total === null) return [];
  const part = `total-${channel}`;
  return [
    {
      english: `${noun} of all organizations that signed up, of those`,
      spanish: `${spanishNoun} que de esos envían todas las organizaciones que se registraron`,
      value: [windowOfSignups(total)],
      part,
    },
    {
      english: `${noun} of the applications that signed up from one network, and as many of their users`,
      spanish: `${spanishNoun} de las aplicaciones que se registraron desde una red, y otros tantos de sus usuarios`,
      value: [windowOfNetwork(total, channel)],
      part,
    },
    {
      english: `${noun} of all that signed up from one IPv6 site (\`/48\`)`,
      spanish: `${spanishNoun} de todas las que se registraron desde un sitio IPv6 (\`/48\`)`,
      value: [windowOfSite(total, channel)],
      part,
    },
  ];
}

function shownValue(value: Window[] | string): string {
  return typeof value === "string" ? value : describeWindows(value);
}

function windowsOf(window: Window | null): Window[] {
  return window === null ? [] : [window];
}

/** The same in both languages. */
function paceOf({ perSecond, atOnce }: PaceLimits): string {
  return `${bytes(atOnce)} + ${bytes(perSecond)}/s`;
}

/** The same in both languages. */
function timeOf({ perSecond, atOnce }: PaceLimits): string {
  return `${atOnce} ms + ${perSecond} ms/s`;
}

function bytes(count: number): string {
  const kib = count / 1024;
  if (kib < 1024) return `${show(kib)} KiB`;
  return kib < 1024 ** 2 ? `${show(kib / 1024)} MiB` : `${show(kib / 1024 ** 2)} GiB`;
}

/** `3 en 10 minutos y 10 en 1 día`. */
function inSpanish(windows: string): string {
  const words: Record<string, string> = {
    in: "en",
    and: "y",
    second: "segundo",
    minute: "minuto",
    hour: "hora",
    day: "día",
  };
  return windows.replace(/[a-z]+/g, (word) => {
    const single = word.replace(/s$/, "");
    const spanish = words[word] ?? words[single];
    if (spanish === undefined) throw new Error(`no Spanish word for \`${word}\``);
    return word === single ? spanish : `${spanish}s`;
  });
}

function show(value: number): string {
  return value.toLocaleString("en");
}

function write(name: string, lines: string[], folder = path) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL(name, folder), `${lines.join("\n")}\n`);
}
