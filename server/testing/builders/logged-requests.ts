import type { Db } from "../../src/db/database.ts";
import type { Tenant } from "../../src/http/caller.ts";
import type { LoggedRequest } from "../../src/requests/logged-request.ts";
import { keepPartitions } from "../../src/requests/partitions.ts";
import { insertRequests } from "../../src/requests/queries.ts";
import { newId } from "./new-id.ts";

/** A request of this tenant in the log, made now; its id. */
export async function addLoggedRequest(
  db: Db,
  { resellerId, environment }: Tenant,
  changes: Partial<LoggedRequest> = {},
): Promise<string> {
  await keepPartitions(db, new Date());
  const id = changes.id ?? newId("req");
  await insertRequests(db, [{ ...loggedRequest(id), resellerId, environment, ...changes }]);
  return id;
}

export const loggedRequest = (id: string): LoggedRequest => ({
  id,
  resellerId: null,
  environment: null,
  actor: { kind: "key", id: "key_00000000000000000000000001" },
  keyHint: null,
  keyDigest: null,
  method: "GET",
  path: "/v1/orders",
  status: 200,
  errorCode: null,
  errorBody: null,
  durationMs: 3,
  address: "192.0.2.1",
});
