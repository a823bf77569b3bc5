import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Checker, openChecker, type View } from "../../../testing/browser/check-page.ts";
import { openBrowser, type TestBrowser } from "../../../testing/browser/open-browser.ts";
import { openOrderDesk } from "../../../testing/people/order-desk.ts";
import { sold } from "../../../testing/upstream/scripted-supplier.ts";
import { insertReversals } from "../../suppliers/reconcile/reconcile-queries.ts";

const VIEWS: readonly View[] = [
  { theme: "light", width: 1280 },
  { theme: "light", width: 390 },
];

let orders: Awaited<ReturnType<typeof openOrderDesk>>;
let browser: TestBrowser;
let checker: Checker;
let url: string;

before(async () => {
  [orders, browser] = await Promise.all([
    openOrderDesk({ supplierName: "Nimbus", url: "http://127.0.0.1" }),
    openBrowser(),
  ]);
  url = await orders.desk.console.listen({ host: "127.0.0.1", port: 0 });
  const { cookie } = await orders.desk.enter("support");
  const options = { url, cookie: { name: "scrip-console", value: cookie }, hasScripts: true };
  checker = await openChecker(browser.browser, options);
});
after(async () => {
  await checker?.close();
  await Promise.allSettled([browser?.close(), orders?.close()]);
});

test("in a browser a person reads what the supplier said, enters the code by hand, and keeps what was taken back", async () => {
  const { shop, supplier, supplierId, bought, worker } = orders;
  supplier.answers = [
    {
      ...{ kind: "accepted", upstreamId: "70006", price: { amountMinor: 975n, currency: "USD" } },
      said: { httpStatus: 200, word: "SUCCESSFUL", upstreamId: "70006", state: "sold" },
    },
    sold("GIVEN-1"),
  ];
  const id = await shop.order([bought, 1], [bought, 1]);
  await worker.drain();
  const lineIndex = (await shop.read(id)).lines.findIndex(({ fulfilledQuantity }) => fulfilledQuantity === 1);
  const reversed = { orderId: id, lineIndex, unitIndex: 0, number: 1 };
  await insertReversals(shop.scrip.db, supplierId, [reversed], shop.clock.now());
  for (const path of [`/orders/${id}`, `/orders/${id}/enter-code`, `/orders/${id}/keep`, "/unknown"])
    assert.deepEqual(await checker.visit(`${url}${path}`, { views: VIEWS }), [], path);

  const { page } = checker;
  await page.goto(`${url}/orders/${id}`);
  await page.getByText("Paid, no code yet").waitFor();
  await page.getByRole("link", { name: "Enter code by hand" }).click();
  await page.getByLabel("Code", { exact: true }).fill("MAILED-IN-A-BROWSER");
  await page.getByRole("button", { name: "Enter code by hand" }).click();
  await page.getByText("The code was sealed and delivered.").waitFor();
  assert.equal((await shop.read(id)).status, "completed");
  await page.getByRole("link", { name: "Keep" }).first().click();
  await page.getByRole("button", { name: "Keep" }).click();
  await page.getByText("1 unit kept. The order and the wallet are as they were.").waitFor();
  assert.equal((await shop.read(id)).refundedTotal.amount, 0);
  await shop.assertHealthy();
});
