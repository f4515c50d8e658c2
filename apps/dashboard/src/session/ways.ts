import type { ComponentType } from "react";
import type { Service } from "./service.ts";
import type { WayProps } from "./way.ts";

type Way = {
  id: string;
  title: string;
  /** Whether this service and this page can do it. */
  isOffered: (service: Service) => boolean;
  /** The first one has none: the page has it at once. */
  load?: () => Promise<{ Way: ComponentType<WayProps> }>;
};

/** The ways to log in, each a tab and a file. All but the first are loaded when they are opened. Codes and providers are those of an organization's login proxy. */
export const ways: readonly Way[] = [
  {
    id: "passkey",
    title: "Passkey",
    isOffered: () => true,
  },
  {
    id: "api-key",
    title: "API key",
    isOffered: () => true,
    load: () => import("./ways/api-key.tsx"),
  },
  {
    id: "code",
    title: "Code",
    // With a key that only the service names, its host could read each code and log in with it.
    isOffered: ({ verificationPublicKey }) => verificationPublicKey !== undefined,
    load: () => import("./ways/code.tsx"),
  },
  {
    id: "provider",
    title: "Provider",
    // The service could send people to a page of its own that looks like a provider's.
    isOffered: ({ isElsewhere, loginProviders }) => !isElsewhere || loginProviders.length > 0,
    load: () => import("./ways/provider.tsx"),
  },
];
