import type { Socket } from "node:net";
import type { ClientBase } from "pg";

/** Closes the socket immediately without notifying the server. Running statements fail as terminated. */
export function destroyClient(client: ClientBase): void {
  // Exists in the driver but not in its types.
  (client as ClientBase & { connection: { stream: Socket } }).connection.stream.destroy();
}
