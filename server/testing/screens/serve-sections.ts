import type { AddressInfo } from "node:net";
import Fastify from "fastify";
import { createCatalogFinder } from "../../src/catalog/filters/catalog-finder.ts";
import { openDashboard } from "../../src/dashboard/open-dashboard.ts";
import { createCursorCodec } from "../../src/lib/cursor.ts";
import { createLog } from "../../src/lib/log.ts";
import { serveIcons } from "../../src/web/docs/icons.ts";
import { testAccounts } from "../app/test-accounts.ts";
import type { TestApp } from "../app/test-app.ts";
import { TEST_WEBHOOKS } from "../app/test-settings.ts";

/** The dashboard of a test app on a port of its own, over plain HTTP as a browser on this machine opens it. */
export async function serveSections(scrip: TestApp): Promise<{ url: string; close(): Promise<void> }> {
  const app = Fastify({ logger: false });
  serveIcons(app);
  openDashboard(app, {
    ...{ db: scrip.db, clock: scrip.clock, secrets: scrip.secrets, keyring: scrip.keyring },
    log: createLog("silent", { write: () => {} }),
    codeVault: scrip.codeVault,
    cursors: createCursorCodec(scrip.secrets.cursorKey),
    finder: createCatalogFinder(scrip.db),
    webhooks: TEST_WEBHOOKS,
    baseUrl: () => "https://api.scrip.example",
    announceDeliveries: () => {},
    placeTestOrder: () => Promise.reject(new Error("no orders are placed here")),
    accounts: testAccounts(scrip),
    sendsMail: false,
    publicUrl: undefined,
    addressOf: (request) => request.ip,
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => app.close() };
}
