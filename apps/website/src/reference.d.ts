declare module "@generated/api-reference/default/reference.json" {
  import type { Reference } from "@site/plugins/api-reference/reference.ts";

  const reference: Reference;
  export default reference;
}

declare module "@generated/api-reference/default/examples.json" {
  import type { Example } from "@site/plugins/api-reference/reference.ts";

  const examples: Record<string, Example>;
  export default examples;
}

declare module "@generated/api-reference/default/requests.json" {
  import type { Requests } from "@site/plugins/api-reference/requests.ts";

  const requests: Requests;
  export default requests;
}

declare module "@generated/api-reference/default/proxy-calls.json" {
  import type { ProxyCall } from "@site/plugins/api-reference/proxy-calls.ts";

  const calls: ProxyCall[];
  export default calls;
}

declare module "@generated/api-reference/default/endpoints.json" {
  import type { Endpoint } from "@site/plugins/api-reference/reference.ts";

  const endpoints: Endpoint[];
  export default endpoints;
}

declare module "@generated/api-reference/default/permissions.json" {
  import type { Permission } from "@site/plugins/api-reference/reference.ts";

  const permissions: Record<string, Permission>;
  export default permissions;
}

declare module "@generated/api-reference/default/activities.json" {
  import type { Activity } from "@site/plugins/api-reference/reference.ts";

  const activities: Activity[];
  export default activities;
}

declare module "@generated/api-reference/default/kinds.json" {
  import type { KindGroup } from "@site/plugins/api-reference/reference.ts";

  const groups: KindGroup[];
  export default groups;
}

declare module "@generated/api-reference/default/queries.json" {
  import type { QueryFields } from "@site/plugins/api-reference/reference.ts";

  const queries: QueryFields[];
  export default queries;
}

declare module "@generated/changelog/default/changelog.json" {
  import type { shownOf } from "@site/plugins/changelog/shown.ts";

  const changelog: ReturnType<typeof shownOf>;
  export default changelog;
}

declare module "@generated/api-reference/default/fields/*.json" {
  import type { Field } from "@site/plugins/api-reference/reference.ts";

  const fields: Field[];
  export default fields;
}

declare module "*?raw" {
  const text: string;
  export default text;
}
