import type { ComponentType } from "react";
import { CredentialsTab } from "./credentials.tsx";
import { FeaturesTab } from "./features.tsx";
import { OrganizationTab } from "./organization.tsx";
import { WebhooksTab } from "./webhooks.tsx";

export const tabs: readonly { id: string; title: string; Tab: ComponentType }[] = [
  { id: "organization", title: "Organization", Tab: OrganizationTab },
  { id: "features", title: "Features", Tab: FeaturesTab },
  { id: "webhooks", title: "Webhooks", Tab: WebhooksTab },
  { id: "credentials", title: "Your credentials", Tab: CredentialsTab },
];
