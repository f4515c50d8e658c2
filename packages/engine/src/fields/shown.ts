import * as z from "zod";

// What released clients require in the intent of a founding, although a request may leave it out. They refuse a
// whole list of activities in which one of these is missing, so answers show what was not sent as empty.

const text = (description: string) => z.string().describe(`${description} Empty if there is none.`);

export const ShownRootEmail = text("Email address of the root user.");

const shownPasskey = {
  authenticatorName: text("Name of the authenticator."),
  challenge: text("Challenge used at registration, base64url."),
};

const whole = "The passkey of the root user. All of its texts are empty if there is none.";

export const ShownRootAuthenticator = z
  .strictObject({
    ...shownPasskey,
    userId: text("Unique identifier of the user."),
    attestation: z
      .strictObject({
        id: text("Credential id, base64url."),
        type: z.enum(["public-key"]).describe("Always `public-key`."),
        rawId: text("Credential id, base64url."),
        response: z
          .strictObject({
            clientDataJson: text("Client data, base64url."),
            attestationObject: text("Attestation object, base64url."),
          })
          .describe("The authenticator's answer."),
        clientExtensionResults: z.strictObject({}).describe("Client extension results."),
      })
      .describe("The browser's credential."),
  })
  .describe(whole)
  .meta({ id: "ShownRootAuthenticator" });

export const ShownRootAuthenticatorV2 = z
  .strictObject({
    ...shownPasskey,
    attestation: z
      .strictObject({
        credentialId: text("Credential id, base64url."),
        clientDataJson: text("Client data, base64url."),
        attestationObject: text("Attestation object, base64url."),
        transports: z
          .array(z.string())
          .describe("Transports by which the authenticator can be reached."),
      })
      .describe("What the browser returned at registration."),
  })
  .describe(whole)
  .meta({ id: "ShownRootAuthenticatorV2" });

export const NO_AUTHENTICATOR: z.output<typeof ShownRootAuthenticator> = {
  authenticatorName: "",
  userId: "",
  attestation: {
    id: "",
    type: "public-key",
    rawId: "",
    response: { clientDataJson: "", attestationObject: "" },
    clientExtensionResults: {},
  },
  challenge: "",
};

export const NO_AUTHENTICATOR_V2: z.output<typeof ShownRootAuthenticatorV2> = {
  authenticatorName: "",
  challenge: "",
  attestation: { credentialId: "", clientDataJson: "", attestationObject: "", transports: [] },
};
