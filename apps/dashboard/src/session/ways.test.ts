import { expect, test } from "vitest";
import type { Service } from "./service.ts";
import { ways } from "./ways.ts";

const offered = (given: Service) =>
  ways.filter(({ isOffered }) => isOffered(given)).map(({ id }) => id);

const service: Service = {
  isElsewhere: true,
  baseUrl: "https://keys.example.com",
  rootOrganizationId: "",
  sessionPublicKey: "",
  verificationPublicKey: undefined,
  quorumPublicKey: undefined,
  signerPublicKey: undefined,
  isOpenForSignup: false,
  loginProviders: [],
  framesUrl: undefined,
};

test("codes are typed only into a page that knows whose key they are encrypted to", () => {
  expect(offered(service)).not.toContain("code");
  expect(offered({ ...service, verificationPublicKey: "04ab" })).toContain("code");
});

test("a page of another origin sends people to the providers that it was built with, and to no others", () => {
  expect(offered(service)).not.toContain("provider");
  expect(offered({ ...service, isElsewhere: false })).toContain("provider");
  const authorizationEndpoint = "https://id.example.com/auth";
  const loginProviders = [{ name: "acme", authorizationEndpoint, clientId: "dashboard" }];
  expect(offered({ ...service, loginProviders })).toContain("provider");
});
