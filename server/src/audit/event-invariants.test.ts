import { testDamages } from "../../testing/builders/audit-damages.ts";

const endpoint = (id: string, resellerId: string, environment: string, since = "2031-01-01Z"): string => `
  insert into webhook_endpoints (id, reseller_id, environment, url, created_at, updated_at)
  values ('${id}', '${resellerId}', '${environment}', 'https://hook.example/', '${since}', '${since}')`;
const delivery = (endpointId: string): string => `
  insert into deliveries (id, event_id, endpoint_id, next_attempt_at, created_at)
  select 'dlv_' || id, id, '${endpointId}', now(), now() from events where id = 'evt_order.fulfilled_ord_partly'`;
/** Bypasses the trigger that makes events immutable. */
const forged = (statement: string): string[] => [
  "alter table events disable trigger user",
  statement,
  "alter table events enable trigger user",
];

testDamages({
  "a completion without an event": [
    ["delete from events where id = 'evt_order.fulfilled_ord_partly'"],
    { 8: ["order ord_partly was completed but has no event"] },
  ],
  "a refund without an event": [
    ["delete from events where id = 'evt_order.refunded_ord_partly'"],
    { 8: ["refund ent_refund_ord_partly of ord_partly has no event"] },
  ],
  "an event for a completion that has not happened": [
    [
      `insert into events (id, reseller_id, environment, type, body, order_id, cause, created_at)
       select 'evt_early', reseller_id, environment, 'order.fulfilled', '{}', id, 'fulfilled', now()
       from orders where id = 'ord_pending'`,
    ],
    { 8: ["event evt_early does not match anything that happened to ord_pending"] },
  ],
  "an event that belongs to another reseller than its order": [
    forged("update events set reseller_id = 'rsl_other' where id = 'evt_order.fulfilled_ord_partly'"),
    { 8: ["event evt_order.fulfilled_ord_partly does not match anything that happened to ord_partly"] },
  ],
  "an event of the wrong type": [
    forged("update events set type = 'order.refunded' where id = 'evt_order.fulfilled_ord_partly'"),
    { 8: ["event evt_order.fulfilled_ord_partly does not match anything that happened to ord_partly"] },
  ],
  "a second event for a cause, in another partition": [
    [
      `insert into events (id, reseller_id, environment, type, body, order_id, cause, created_at)
       select 'evt_0', reseller_id, environment, type, body, order_id, cause, created_at
       from events where id = 'evt_order.fulfilled_ord_partly'`,
    ],
    { 8: ["ord_partly has 2 events for fulfilled"] },
  ],
  "a partition in which a cause is not unique": [
    ["drop index events_default_once", "drop index deliveries_first_once"],
    {
      8: [
        "the partition deliveries_first lacks a unique index",
        "the partition events_default lacks a unique index",
      ],
    },
  ],
  "a delivery whose event is gone": [
    [
      endpoint("whk_1", "rsl_seller", "live"),
      `insert into deliveries (id, event_id, endpoint_id, next_attempt_at, created_at)
       values ('dlv_gone', 'evt_gone', 'whk_1', now(), now())`,
    ],
    { 8: ["delivery dlv_gone has no event"] },
  ],
  "a delivery to a subscribed endpoint": [[endpoint("whk_1", "rsl_seller", "live"), delivery("whk_1")], {}],
  "an event that was not sent to a subscribed endpoint": [
    [
      endpoint("whk_1", "rsl_seller", "live", "2029-01-01Z"),
      "update webhook_endpoints set events = '{order.refunded}' where id = 'whk_1'",
      `insert into deliveries (id, event_id, endpoint_id, next_attempt_at, created_at)
       select 'dlv_' || id, id, 'whk_1', now(), now() from events
       where reseller_id = 'rsl_seller' and environment = 'live' and type = 'order.refunded'
         and id <> 'evt_order.refunded_ord_partly'`,
    ],
    { 8: ["event evt_order.refunded_ord_partly has no delivery to whk_1, which was subscribed"] },
  ],
  "a delivery to the sandbox": [
    [endpoint("whk_1", "rsl_seller", "test"), delivery("whk_1")],
    {
      8: ["delivery dlv_evt_order.fulfilled_ord_partly carries an event of another reseller or environment"],
    },
  ],
  "a delivery that is pending for an inactive endpoint": [
    [
      endpoint("whk_1", "rsl_seller", "live"),
      delivery("whk_1"),
      "update webhook_endpoints set active = false, updated_at = now() - interval '1 hour' where id = 'whk_1'",
    ],
    { 8: ["delivery dlv_evt_order.fulfilled_ord_partly is pending for an inactive endpoint"] },
  ],
});
