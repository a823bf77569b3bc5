import { readFileSync } from "node:fs";
import { raw } from "sql-template-tag";
import { type Damage, testDamages } from "../../testing/builders/audit-damages.ts";
import type { Tx } from "../db/database.ts";
import { systemClock } from "../lib/clock.ts";
import { countFacts } from "../reports/count-facts.ts";

const migration = (name: string): string =>
  readFileSync(new URL(`../../migrations/${name}.sql`, import.meta.url), "utf8");
const changes = migration("0035_report_changes");
const purchases = migration("0046_late_purchases");
const refunds = migration("0047_refunds_from_before");

/** What the migrations do with the orders that are there. */
const UPGRADE: Damage = [
  "delete from report_changes",
  changes.slice(changes.indexOf("insert into report_unended")),
  purchases.slice(purchases.lastIndexOf("insert into report_changes")),
  refunds.slice(refunds.lastIndexOf("insert into report_refunds")),
];

/** With triggers, which keep the sums by day. */
const count = async (tx: Tx): Promise<void> => {
  await tx.rows(raw("set local session_replication_role = origin"));
  while (await countFacts({ db: { transaction: (work) => work(tx) }, clock: systemClock }));
  await tx.rows(raw("set local session_replication_role = replica"));
};

const COUNTED: Damage = [...UPGRADE, count];
const LINE = `(environment, reseller_id, hour, product_id, supplier_id) in (
  select environment, reseller_id, hour, product_id, supplier_id from report_lines
  where environment = 'live' and bought_units > 0 order by product_id, supplier_id limit 1)`;
const DAY = "2030-01-02 00:00:00+00";
const HOUR = "2030-01-02 03:00:00+00";
const lineDiffers = `the roll-up of card for rsl_seller (live, USD) at ${HOUR} is not the sum of its sales, refunds and purchases`;
const ordersDiffer = `the roll-up of orders of rsl_seller (live, USD) at ${HOUR} is not the sum of its orders and entries`;
const sliceDiffers = (dimension: string, at: string): string =>
  `the roll-up by ${dimension} (live, USD) at ${at} is not the sum of its products`;
const dayDiffers = `the roll-up of rsl_seller (live) on ${DAY.slice(0, 10)} is not the sum of its hours`;
const timesDiffer = (dimension: string, at: string): string =>
  `the times by ${dimension} (live) at ${at} are not those of its orders`;

testDamages({
  "orders of every kind that were placed before there were roll-ups, once they are counted": [COUNTED, {}],
  "the same before anything is counted": [UPGRADE, {}],
  "a roll-up of a product that counts a unit too many": [
    [...COUNTED, `update report_lines set bought_units = bought_units + 1 where ${LINE}`],
    {
      12: [
        sliceDiffers("product", DAY),
        sliceDiffers("reseller", HOUR),
        sliceDiffers("supplier", HOUR),
        lineDiffers,
      ],
    },
  ],
  "a sale that is reported with another amount or another cost than it had": [
    [
      ...COUNTED,
      "update report_lines set sold_minor = sold_minor + 5, landed_minor = landed_minor + 1 where environment = 'live' and sold_units > 0",
    ],
    {
      12: [
        sliceDiffers("product", DAY),
        sliceDiffers("product", DAY),
        sliceDiffers("reseller", HOUR),
        lineDiffers,
        lineDiffers.replace("card", "game"),
      ],
      15: ["the report of live USD says 9310, and the ledger 9300"],
    },
  ],
  "sums by product, reseller and supplier that lack something": [
    [
      ...COUNTED,
      "delete from report_slices where dimension = 'product' and environment = 'live' and cost_currency = ''",
      "update report_slices set sold_minor = 0 where dimension = 'reseller' and environment = 'live'",
      "update report_slices set cost_minor = cost_minor - 1 where dimension = 'supplier'",
    ],
    {
      12: [
        sliceDiffers("product", DAY),
        sliceDiffers("product", DAY),
        sliceDiffers("reseller", HOUR),
        sliceDiffers("supplier", HOUR),
      ],
    },
  ],
  "a roll-up of orders that was changed": [
    [...COUNTED, "update report_orders set completed = completed - 1 where environment = 'live'"],
    { 12: [ordersDiffer, dayDiffers] },
  ],
  "sums by day that were changed": [
    [...COUNTED, "update report_days set sold_minor = sold_minor + 1 where environment = 'live'"],
    { 12: [dayDiffers] },
  ],
  "times by day that were changed": [
    [...COUNTED, `insert into report_day_times values ('rsl_seller', 'live', '${DAY}', 3, 1)`],
    { 12: [`the times of rsl_seller (live) on ${DAY.slice(0, 10)} are not those of its hours`] },
  ],
  "sums by day that nobody keeps": [
    [...COUNTED, "alter table report_orders disable trigger report_orders_add_day"],
    { 12: ["trigger report_orders_add_day is missing"] },
  ],
  "times that were counted twice": [
    [
      ...COUNTED,
      "update report_times set count = count * 2 where dimension = 'product' and environment = 'live'",
    ],
    { 12: [timesDiffer("product", DAY), timesDiffer("product", DAY)] },
  ],
  "an order that is counted as ended and still noted to be counted": [
    [...COUNTED, "insert into report_changes (order_id) values ('ord_failed_held')"],
    { 12: [ordersDiffer] },
  ],
  "orders that are noted twice, or have not ended": [
    [
      ...UPGRADE,
      "insert into report_changes (order_id) values ('ord_completed'), ('ord_completed'), ('ord_begun')",
    ],
    { 12: ["ord_begun is noted as ended and is processing", "ord_completed is noted 2 times as ended"] },
  ],
  "a wallet that is counted beyond its last entry": [
    ["insert into report_wallets (reseller_id, environment, sequence) values ('rsl_other', 'live', 99)"],
    { 12: ["the wallet of rsl_other (live) is counted up to entry 99, which it does not have"] },
  ],
  "a refund of which nobody noted what it paid for": [
    [...UPGRADE, "delete from report_refunds where order_id = 'ord_refunded'", count],
    {
      12: ["refunds of ord_refunded paid 1600, and the units noted for them cost 0"],
      15: ["the report of live USD says 10900, and the ledger 9300"],
    },
  ],
  "a missing trigger": [
    [
      "alter table orders disable trigger orders_note_end",
      "drop trigger supplier_attempts_note_late on supplier_attempts",
    ],
    { 12: ["trigger orders_note_end is missing", "trigger supplier_attempts_note_late is missing"] },
  ],
});
