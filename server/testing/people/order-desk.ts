import sql from "sql-template-tag";
import { balanceOf } from "../builders/buyers.ts";
import { createTestFulfiller } from "../builders/fulfilment.ts";
import { openShop } from "../builders/shop.ts";
import { addSupplierRow } from "../builders/supply-builders.ts";
import { createScriptedSupplier, lost } from "../upstream/scripted-supplier.ts";
import { type ConsoleVisit, openConsoleOn } from "./console-desk.ts";

/** A shop with one supplier that answers as it is told, a worker, and the console on the same database. */
export async function openOrderDesk(options: {
  supplierName: string;
  url?: string;
  dualControlAbove?: string;
}) {
  const shop = await openShop();
  const { db } = shop.scrip;
  const supplierId = await addSupplierRow(db, { kind: "scrip" });
  await db.rows(sql`update suppliers set name = ${options.supplierName} where id = ${supplierId}`);
  const supplier = createScriptedSupplier(lost);
  const suppliers = { [supplierId]: supplier };
  const worker = createTestFulfiller(shop.scrip, { suppliers, limits: { breakerFailures: 1_000 } });
  const { supplierName: _name, ...settings } = options;
  const desk = await openConsoleOn(shop.scrip, { ...settings, suppliers });
  const bought = await shop.addBought(supplierId);
  return {
    ...{ shop, desk, supplier, supplierId, worker, bought },
    /** An order whose purchases were sent and not answered, more than a minute ago. */
    async unknownOrder(units = 1): Promise<string> {
      supplier.answers = [lost];
      const id = await shop.order([bought, units]);
      await worker.drain();
      shop.clock.advance(61_000);
      supplier.asked = [];
      return id;
    },
    balance: () => balanceOf(db, shop.buyer),
    async close() {
      await desk.console.close();
      await shop.close();
    },
  };
}

/** What a person reads of a page. */
export const textOf = (body: string): string =>
  body
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll(/\s+/g, " ")
    .replaceAll("&#39;", "'");

/** What a page carries in fields of this name. */
export const carriedBy = (body: string, name: string): string[] =>
  [...body.matchAll(new RegExp(`name="${name}" value="([^"]*)"`, "g"))].map(([, value = ""]) => value);

/** The actions that an order's page offers. */
export const offeredBy = (body: string): string[] =>
  [...body.matchAll(/href="\/orders\/ord_\w+\/([a-z-]+)"/g)].map(([, action = ""]) => action);

/** Opens a decision about an order, and sends it with a reason. */
export async function decide(
  person: ConsoleVisit,
  id: string,
  action: string,
  fields: Readonly<Record<string, string>> = {},
) {
  const page = await person.get(`/orders/${id}/${action}`);
  const [expected = ""] = carriedBy(page.body, "expected");
  return person.post(`/orders/${id}/${action}`, { expected, reason: "no answer for an hour", ...fields });
}
