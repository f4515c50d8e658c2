/** What an emulator is started with. */
export type EmulatorOptions = {
  /** The port on 127.0.0.1. By default a free one. */
  port?: number;
  /** Id of the first organization, so that settings of an application stay valid. By default a new one. */
  organizationId?: string;
  /** Public key of its root user's API key: P-256, 66 hex characters. The emulator then never has the private key. */
  apiPublicKey?: string;
  /** Private key of its root user's API key: P-256, 64 hex characters. By default a new one. */
  apiPrivateKey?: string;
  /** Name of the first organization. */
  organizationName?: string;
  /** Whose OpenID Connect tokens count, as KEYHEARTH_OIDC_ISSUERS of the service has them. */
  oidcIssuers?: string;
  /** Takes each line of the service's log, as JSON. By default there is no log. */
  log?: (line: string) => void;
};

/** What a new organization is made with. */
export type OrganizationOptions = {
  organizationName?: string;
  organizationId?: string;
  /** Public key of its root user's API key. Then its private key is not in the answer. */
  apiPublicKey?: string;
};

/** An organization of the emulator, and the API key of its root user. */
export type EmulatedOrganization = {
  organizationId: string;
  userId: string;
  apiPublicKey: string;
  /** Empty if the emulator was given the public key only. */
  apiPrivateKey: string;
};

/** A mail or an SMS, as its receiver would see it. */
export type EmulatedMessage = {
  messageId: string;
  kind: string;
  to: string;
  subject: string;
  text: string;
  html: string;
  code?: string;
  link?: string;
  credentialBundle?: string;
  createdAt: string;
};

/** What tests do with an emulator, in its process or from another one. */
export type EmulatorControl = {
  /** Where the API is: the `baseUrl` of clients. */
  url: string;
  /** A new organization, in which nothing of other tests is. */
  createOrganization(options?: OrganizationOptions): Promise<EmulatedOrganization>;
  /** The messages that were sent, the newest first: all, or those to one address or phone number. */
  messages(to?: string): Promise<EmulatedMessage[]>;
  /** What time it is for the emulator, in milliseconds. */
  now(): Promise<number>;
  /** Moves its clock forward, for all organizations, and returns the new time. */
  moveClock(milliseconds: number): Promise<number>;
  /** Forgets everything, and begins again with the first organization, its id and its key. */
  reset(): Promise<EmulatedOrganization>;
};

/** An emulator in this process. */
export type Emulator = EmulatorControl & {
  /** The first organization. A reset makes another one with the same id and key. */
  organization: EmulatedOrganization;
  /** Stops it. Nothing is left of it. */
  close(): Promise<void>;
};
