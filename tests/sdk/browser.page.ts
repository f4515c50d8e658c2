import { Connection, KeyhearthError, signRawPayload, updateUserEmail } from "@keyhearth/sdk";
import * as browser from "@keyhearth/sdk/browser";
import { IndexedDbStamper } from "@keyhearth/sdk/stampers/indexed-db";
import { SessionStamper } from "@keyhearth/sdk/stampers/session";
import { WebAuthnStamper } from "@keyhearth/sdk/stampers/webauthn";

import * as sessions from "../../apps/website/snippets/browser/sessions.ts";
import { showUser } from "../../apps/website/snippets/browser/webauthn-stamper.ts";

// What an app does in the browser of its users, with the SDK. It is bundled and runs in a page.

type Wallet = { organizationId: string; signWith: string };

/** What a page of the test is opened with: plain data. */
export type PageOptions = Omit<browser.SessionKeeperOptions, "fetch" | "storage">;

/** How something ended, in a form that leaves the page. */
type Outcome = { value?: unknown; error?: { name: string; code: string; message: string } };

let keeper: browser.SessionKeeper | undefined;
const events: string[] = [];

export const app = {
  browser,
  IndexedDbStamper,
  SessionStamper,
  WebAuthnStamper,
  /** What the site shows. */
  samples: { ...sessions, showUser },

  /** What the page does when it starts. */
  async open(options: PageOptions) {
    keeper?.close();
    keeper = new browser.SessionKeeper(options);
    keeper.subscribe((event) =>
      events.push(event.type === "ended" ? `ended: ${event.reason}` : event.type),
    );
    await keeper.restore();
    return app.session();
  },

  get keeper() {
    if (!keeper) throw new Error("the page has not opened its keeper");
    return keeper;
  },

  session: () => app.keeper.session,

  /** Resolves once the keeper has told of so many events. */
  async eventsOnceThereAre(count: number) {
    while (events.length < count) {
      await new Promise<void>((resolve) => {
        const end = app.keeper.subscribe(() => {
          end();
          resolve();
        });
      });
    }
    return events.splice(0);
  },

  sign: (connection: Connection, { organizationId, signWith }: Wallet) =>
    signRawPayload(
      connection,
      {
        signWith,
        payload: "hello",
        encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
        hashFunction: "HASH_FUNCTION_SHA256",
      },
      { organizationId },
    ).then(({ r }) => r),

  /** Proves that the address is that of whoever is logged in. */
  proveEmail: (userEmail: string, verificationToken: string) =>
    updateUserEmail(app.keeper.connection(), {
      userId: app.session()?.userId ?? "",
      userEmail,
      verificationToken,
    }),

  async outcome(work: () => unknown): Promise<Outcome> {
    try {
      return { value: await work() };
    } catch (error) {
      if (!(error instanceof KeyhearthError)) throw error;
      const { name, code, message } = error;
      return { error: { name, code, message } };
    }
  },

  connection: (stamper: Connection["stamper"], organizationId: string) =>
    new Connection({ baseUrl: location.origin, organizationId, stamper }),
};

declare global {
  interface Window {
    app: typeof app;
    /** The app's server, which the test plays. */
    server: (call: string, request: object) => Promise<never>;
  }
}

window.app = app;
