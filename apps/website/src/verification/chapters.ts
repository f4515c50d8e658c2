import { apiRisks } from "./api-risks.ts";
import type { Chapter } from "./requirement.ts";
import { encoding } from "./v01-encoding.ts";
import { rules } from "./v02-rules.ts";
import { browser } from "./v03-browser.ts";
import { http } from "./v04-http.ts";
import { files } from "./v05-files.ts";
import { authentication } from "./v06-authentication.ts";
import { sessions } from "./v07-sessions.ts";
import { permissions } from "./v08-permissions.ts";
import { tokens } from "./v09-tokens.ts";
import { oauth } from "./v10-oauth.ts";
import { cryptography } from "./v11-cryptography.ts";
import { connections } from "./v12-connections.ts";
import { configuration } from "./v13-configuration.ts";
import { data } from "./v14-data.ts";
import { code } from "./v15-code.ts";
import { logging } from "./v16-logs.ts";
import { webrtc } from "./v17-webrtc.ts";

/** Chapters of ASVS 5.0 by their numbers, with titles in our words, and the risks of APIs. */
export const chapters: readonly Chapter[] = [
  { id: "v1", title: "V1: Encoding and injection", requirements: encoding },
  { id: "v2", title: "V2: Checks and rules", requirements: rules },
  { id: "v3", title: "V3: In the browser", requirements: browser },
  { id: "v4", title: "V4: HTTP", requirements: http },
  { id: "v5", title: "V5: Files", requirements: files },
  { id: "v6", title: "V6: Logins", requirements: authentication },
  { id: "v7", title: "V7: Sessions", requirements: sessions },
  { id: "v8", title: "V8: Permissions", requirements: permissions },
  { id: "v9", title: "V9: Signed tokens", requirements: tokens },
  { id: "v10", title: "V10: OAuth and OpenID Connect", requirements: oauth },
  { id: "v11", title: "V11: Cryptography", requirements: cryptography },
  { id: "v12", title: "V12: Connections", requirements: connections },
  { id: "v13", title: "V13: Operation", requirements: configuration },
  { id: "v14", title: "V14: Data", requirements: data },
  { id: "v15", title: "V15: Code and libraries", requirements: code },
  { id: "v16", title: "V16: Logs and errors", requirements: logging },
  { id: "v17", title: "V17: WebRTC", requirements: webrtc },
  { id: "api", title: "API Security Top 10", requirements: apiRisks },
];
