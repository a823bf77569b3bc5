import { once } from "node:events";
import { createServer } from "node:net";

/** Refuses a setting that is not an address of this machine. */
export async function assertLocalAddress(setting: string, address: string): Promise<void> {
  const server = createServer();
  try {
    await once(server.listen({ host: address, port: 0 }), "listening");
  } catch {
    throw new Error(`${setting} ${address} is not an address of this machine`);
  } finally {
    server.close();
  }
}
