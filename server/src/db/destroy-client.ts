import type { Socket } from "node:net";
import type { ClientBase } from "pg";

/** Ends the connection at once, without a word to the server. Statements under way fail as terminated. */
export function destroyClient(client: ClientBase): void {
  // The driver has it, and its types do not.
  (client as ClientBase & { connection: { stream: Socket } }).connection.stream.destroy();
}
