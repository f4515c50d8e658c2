/**
 * The address of the service. Its own start names the address of the API, which ends in `/public/v1`, and means the
 * same. A path in front of that is kept, for services behind a proxy.
 */
export function serviceAddress(baseUrl: string): string {
  return baseUrl.replace(/(\/public\/v1)?\/*$/, "");
}
