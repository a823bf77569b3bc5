import { invitePerson } from "../../src/accounts/people/invite-person.ts";
import type { UserRole } from "../../src/accounts/permissions.ts";
import { LOOPBACK } from "../app/test-settings.ts";
import { createTestFulfiller } from "../builders/fulfilment.ts";
import { freePort } from "../processes/free-port.ts";
import { openSandboxInbox } from "../sandbox/sandbox-inbox.ts";
import { type DeskOptions, openDashboardDesk } from "./dashboard-desk.ts";
import { COMMAND } from "./people-desk.ts";

export type Site = Awaited<ReturnType<typeof openSite>>;

/**
 * The whole server on a port of this machine, as a browser reaches it, and a web server that receives webhooks. Workers run
 * their steps on demand.
 */
export async function openSite(options: DeskOptions = {}) {
  // The address is part of every link, so the port is chosen before the app is built.
  const port = await freePort("localhost");
  const url = `http://localhost:${port}`;
  const requestLog = { flushDelayMs: 1 };
  const desk = await openDashboardDesk({
    url,
    requestLog,
    webhooks: { allowNetworks: LOOPBACK },
    ...options,
  });
  const inbox = await openSandboxInbox(desk.clock);
  const fulfiller = createTestFulfiller(desk);
  const deliverer = inbox.createDeliverer(desk);
  await desk.app.listen({ host: "localhost", port });
  return {
    ...desk,
    url,
    inbox,
    /** The link of an invitation, as the operator's command prints it. */
    invite: async (resellerId: string, email: string, role: UserRole): Promise<string> =>
      (await invitePerson(desk.accounts, { kind: "user", resellerId }, { email, role }, COMMAND)).link,
    /** Does everything that is due now, including deliveries. */
    async work() {
      await fulfiller.drain();
      await deliverer.drain();
    },
    async close() {
      await inbox.close();
      await desk.close();
    },
  };
}
