/** How a request says who makes it: the headers that carry a stamp, or a session. */
export const securitySchemes = {
  stamp: {
    type: "apiKey",
    in: "header",
    name: "X-Stamp",
    description:
      "Base64url of the JSON `{publicKey, scheme, signature}`: a signature by an API key over the exact bytes of the body.",
  },
  passkeyStamp: {
    type: "apiKey",
    in: "header",
    name: "X-Stamp-Webauthn",
    description:
      "The JSON `{credentialId, authenticatorData, clientDataJson, signature}`, each in base64url: a passkey's signature whose challenge is the SHA-256 of the body in hex.",
  },
  attestedStamp: {
    type: "apiKey",
    in: "header",
    name: "X-Stamp-Attested",
    description:
      "The JSON `{publicKeyAttestation, scheme, publicKey, signature}`: a signature over the body by a key that is not registered, and a token that attests it.",
  },
  readOnlySession: {
    type: "apiKey",
    in: "header",
    name: "X-Session",
    description:
      "The token of a read-only session, as create_read_only_session returned it. Queries accept it in place of a stamp.",
  },
} as const;

export type Security = Partial<Record<keyof typeof securitySchemes, never[]>>[];

/** A lasting credential, unless an operation says otherwise. */
export const stamped: Security = [{ stamp: [] }, { passkeyStamp: [] }];

export const stampedOrInSession: Security = [...stamped, { readOnlySession: [] }];

export const stampedOrAttested: Security = [...stamped, { attestedStamp: [] }];
