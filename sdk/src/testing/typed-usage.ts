import {
  type CatalogChangePage,
  type CatalogProduct,
  createClient,
  type Delivery,
  type Order,
  type OrderStatus,
  type Page,
  type ScripEvent,
  type WalletEntry,
} from "../index.ts";

/**
 * Never run: the compiler reads it, and every line that must not compile says so. Where one of them does, or another does
 * not, `tsc` fails.
 */
export async function useTheTypes(): Promise<void> {
  const scrip = createClient({ baseUrl: "https://api.example", apiKey: "sc_test_x" });

  // A list gives its items one by one, each of its own type, and a page when it is awaited.
  for await (const order of scrip.orders.list({ status: "completed", limit: 10 }))
    yes<Same<typeof order, Order>>();
  for await (const product of scrip.catalog.list()) yes<Same<typeof product, CatalogProduct>>();
  for await (const entry of scrip.wallet.entries({ type: "refund" })) yes<Same<typeof entry, WalletEntry>>();
  for await (const delivery of scrip.webhooks.deliveries("whk_1")) yes<Same<typeof delivery, Delivery>>();
  for await (const event of scrip.events.list({ type: "of.tomorrow" })) yes<Same<typeof event, ScripEvent>>();
  for await (const page of scrip.orders.list().pages()) yes<Same<typeof page, Page<Order>>>();
  const first = await scrip.orders.list();
  yes<Same<typeof first, Page<Order>>>();

  // @ts-expect-error There is no such filter.
  scrip.orders.list({ state: "completed" });
  // @ts-expect-error There is no such status.
  scrip.orders.list({ status: "complete" });
  // @ts-expect-error A limit is a number.
  scrip.orders.list({ limit: "10" });
  // @ts-expect-error There is no such kind of entry.
  scrip.wallet.entries({ type: "gift" });
  // @ts-expect-error There is no such status of a delivery.
  scrip.webhooks.deliveries("whk_1", { status: "lost" });
  scrip.catalog.list({ q: "nimbus", brand: "Nimbus", country: "US", type: "top_up", purchasable: true });
  // @ts-expect-error The catalog has no such filter.
  scrip.catalog.list({ status: "active" });
  for await (const page of scrip.catalog.follow({ since: (await scrip.catalog.changes()).nextCursor }))
    yes<Same<typeof page, CatalogChangePage>>();

  // @ts-expect-error An order has lines.
  await scrip.orders.place({ reference: "r" });
  // @ts-expect-error A line has a quantity.
  await scrip.orders.place({ lines: [{ productId: "card" }] });
  // @ts-expect-error A line has no price.
  await scrip.orders.place({ lines: [{ productId: "card", quantity: 1, price: 5 }] });
  // @ts-expect-error Money is whole minor units, and no text.
  await scrip.orders.place({ lines: [], expectedTotal: "5.00" });

  const { order, replayed, idempotencyKey } = await scrip.orders.place(
    { lines: [{ productId: "card", quantity: 1, inputFields: { player: 5 } }] },
    { testScenario: "partial", signal: new AbortController().signal, retries: 0, timeoutMs: 5 },
  );
  yes<Same<[typeof replayed, typeof idempotencyKey], [boolean, string]>>();
  // @ts-expect-error A placement has no lines: read the order for those.
  order.lines;
  // A status of tomorrow is a status too, and those of today are offered.
  order.status satisfies OrderStatus;
  "of_tomorrow" satisfies OrderStatus;

  // @ts-expect-error An endpoint has a URL.
  await scrip.webhooks.register({ events: ["order.fulfilled"] });
  // @ts-expect-error What to recover begins somewhere.
  await scrip.webhooks.recover("whk_1", {});
  // @ts-expect-error There is nothing to read from a removal.
  (await scrip.webhooks.remove("whk_1")).id;
  // @ts-expect-error What may be absent has to be looked for first.
  (await scrip.products.get("card")).price.amount;
  // @ts-expect-error The statement is a list.
  (await scrip.wallet.entries()).balance;
}

/** Of this type, neither wider nor narrower, nor `any`. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

function yes<_IsTrue extends true>(): void {}
