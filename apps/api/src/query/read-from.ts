import type { Db, Store } from "../store/connect.ts";
import type { QueryDeclaration } from "./define.ts";

type Places = Pick<Store, "db" | "standbys"> & { onRead?: () => void };

/** Makes an answer from a standby if the query may, and one has all that the primary has. Otherwise from the primary. */
export async function readFrom<T>(
  { mayAskStandby = false }: { mayAskStandby?: QueryDeclaration["mayAskStandby"] | false },
  { db, standbys, onRead }: Places,
  make: (db: Db) => Promise<T>,
): Promise<T> {
  const found = mayAskStandby ? await standbys?.read(make, onRead) : null;
  return found ? found.value : make(db);
}
