import { useCurrent } from "../session/current.tsx";

/** The address of a page of the documentation, which the service serves too. */
export function useDocs(): (path: string) => string {
  const { service } = useCurrent();
  return (path) => service.baseUrl + path;
}
