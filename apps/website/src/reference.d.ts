declare module "@generated/api-reference/default/reference.json" {
  import type { Reference } from "@site/plugins/api-reference/reference.ts";

  const reference: Reference;
  export default reference;
}

declare module "@generated/api-reference/default/endpoints.json" {
  import type { Endpoint } from "@site/plugins/api-reference/reference.ts";

  const endpoints: Endpoint[];
  export default endpoints;
}

declare module "*?raw" {
  const text: string;
  export default text;
}
