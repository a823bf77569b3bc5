import { testDamages } from "../../testing/builders/audit-damages.ts";

const LATER = "now() + interval '2 hours'";
const key = (more = ""): string => `
  insert into api_keys (id, reseller_id, environment, digest, last_four, scopes, created_at, revoked_at)
  values ('key_first', 'rsl_seller', 'live', decode(repeat('aa', 32), 'hex'), 'abcd', '{orders:read}', ${LATER}, null),
    ('key_new', 'rsl_seller', 'live', decode(repeat('ab', 32), 'hex'), 'abcd', '{orders:read}', ${LATER}, ${more || "null"})`;
const event = (type: string, kind: string, id: string, cause: string, data = "{}"): string => `
  insert into events (id, reseller_id, environment, type, body, subject_kind, subject_id, cause, created_at)
  values ('evt_new_${type}', 'rsl_seller', 'live', '${type}', '{"data":${data}}', '${kind}', '${id}', '${cause}', ${LATER})`;
const created = event("key.created", "key", "key_new", "created");
const disabled = `
  insert into webhook_endpoints (id, reseller_id, environment, url, created_at, updated_at, active, failing_since, failures, notified)
  values ('whk_off', 'rsl_seller', 'live', 'https://hook.example/', now(), ${LATER}, false, '2031-01-02T03:04:05.678Z', 12, 'disabled')`;
const threshold = (amount: number): string => `{"threshold":{"amount":${amount}}}`;
const unmatched = (type: string, subject: string): string =>
  `event evt_new_${type} does not match anything that happened to ${subject}`;

testDamages({
  "a tenant's first key without an event, and one that was created and revoked with both": [
    [key(LATER), created, event("key.revoked", "key", "key_new", "revoked")],
    {},
  ],
  "a key without its events": [
    [key(LATER)],
    { 8: ["key key_new was created but has no event", "key key_new was revoked but has no event"] },
  ],
  "events of a key that was not revoked, and of one that is not there": [
    [
      key(),
      created,
      event("key.revoked", "key", "key_new", "revoked"),
      event("key.created", "key", "key_gone", "created").replace("evt_new_", "evt_gone_"),
    ],
    {
      8: [
        "event evt_gone_key.created does not match anything that happened to key key_gone",
        unmatched("key.revoked", "key key_new"),
      ],
    },
  ],
  "a disabled endpoint with its event": [
    [disabled, event("endpoint.disabled", "webhook", "whk_off", "failing since 2031-01-02T03:04:05.678Z")],
    {},
  ],
  "a disabled endpoint without its event, and the event of an endpoint that is not there": [
    [disabled, event("endpoint.disabled", "webhook", "whk_gone", "failing since 2031-01-02T03:04:05.678Z")],
    {
      8: [
        "endpoint whk_off was disabled but has no event",
        unmatched("endpoint.disabled", "webhook whk_gone"),
      ],
    },
  ],
  "a changed catalog with its change, and one whose change does not exist": [
    [
      "update catalog_state set change = 7",
      event("catalog.changed", "catalog", "rsl_seller", "live change 7"),
      event("catalog.changed", "catalog", "rsl_seller", "live change 8").replace("evt_new_", "evt_gone_"),
    ],
    { 8: ["event evt_gone_catalog.changed does not match anything that happened to catalog rsl_seller"] },
  ],
  "a low balance that no entry made": [
    [event("wallet.low", "wallet", "rsl_seller", "ent_none", threshold(1))],
    { 8: [unmatched("wallet.low", "wallet rsl_seller")] },
  ],
  "a low balance whose entry did not cross the threshold": [
    [
      `insert into events (id, reseller_id, environment, type, body, subject_kind, subject_id, cause, created_at)
       select 'evt_new_wallet.low', reseller_id, environment, 'wallet.low', '{"data":${threshold(0)}}', 'wallet', reseller_id, id, now()
       from ledger_entries where reseller_id = 'rsl_seller' and environment = 'live' and type = 'order' limit 1`,
    ],
    { 8: [unmatched("wallet.low", "wallet rsl_seller")] },
  ],
  "a low balance whose entry crossed the threshold": [
    [
      `insert into events (id, reseller_id, environment, type, body, subject_kind, subject_id, cause, created_at)
       select 'evt_new_wallet.low', reseller_id, environment, 'wallet.low',
         '{"data":{"threshold":{"amount":' || balance_after_minor + 1 || '}}}', 'wallet', reseller_id, id, now()
       from ledger_entries where reseller_id = 'rsl_seller' and environment = 'live' and type = 'order' limit 1`,
    ],
    {},
  ],
});
