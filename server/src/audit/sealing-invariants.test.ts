import { createHash } from "node:crypto";
import { testDamages } from "../../testing/builders/audit-damages.ts";

const PUBLIC_KEY = Buffer.alloc(32, 9);
const KID = createHash("sha256").update(PUBLIC_KEY).digest().subarray(0, 16).toString("base64url");

const addKey = (kid = KID) => `
  insert into encryption_keys (reseller_id, environment, kid, public_key, registered_at, retired_at)
  select reseller_id, environment, '${kid}', '\\x${PUBLIC_KEY.toString("hex")}', now(), null
  from orders where id = 'ord_completed'`;

/** Seals the code of a completed order to the key, or does so badly. */
const sealCode = (change: Record<string, string> = {}) => {
  const set = {
    kid: `'${KID}'`,
    enc: "sha256('enc')",
    ciphertext: "sha256('text')",
    sealed: "null",
    ...change,
  };
  const columns = Object.entries(set).map(([name, value]) => `${name} = ${value}`);
  return `update codes set ${columns.join(", ")} where id = '${CODE}'`;
};

const CODE = "cod_ord_completed_0_0";
const unguarded = ["codes_environment", "codes_sealed_to_reseller"].map(
  (name) => `alter table codes drop constraint ${name}`,
);
const finds = (what: string) => ({ 17: [`code ${CODE}: ${what}`] });

testDamages({
  "a code that is sealed to its reseller": [[addKey(), sealCode()], {}],
  "a second copy under the master key": [
    [...unguarded, addKey(), sealCode({ sealed: "'\\x02'" })],
    {
      10: [`code ${CODE} is live but not stored as such`],
      ...finds("there is a second copy under the master key"),
    },
  ],
  "a code that is kept in neither way": [
    [...unguarded, `update codes set sealed = null where id = '${CODE}'`],
    { 10: [`code ${CODE} is live but not stored as such`], 17: [`code ${CODE} is kept in neither way`] },
  ],
  "half of a seal": [
    [...unguarded, addKey(), sealCode({ enc: "null" })],
    finds("its seal to the reseller is not whole"),
  ],
  "a seal that is too short": [
    [...unguarded, addKey(), sealCode({ ciphertext: "'\\x00'" })],
    finds("its seal has the wrong length"),
  ],
  "a code that is sealed to a key nobody registered": [
    [sealCode()],
    finds("sealed to a key that is not its reseller's"),
  ],
  "a code that is sealed to a key of the other environment": [
    [addKey(), "update encryption_keys set environment = 'test'", sealCode()],
    finds("sealed to a key that is not its reseller's"),
  ],
  "a sealed code that can still be taken back": [
    [
      addKey(),
      sealCode(),
      "update orders set all_or_nothing = true, status = 'processing', ended_at = null where id = 'ord_completed'",
    ],
    {
      ...finds("sealed to the reseller while it can be taken back"),
      7: ["order ord_completed is processing but has no work"],
      8: [
        "event evt_order.fulfilled_ord_completed does not match anything that happened to ord_completed",
        "order ord_completed is processing with 0 waiting, 3 delivered, 0 failed and 0 refunded units, 3 ever delivered",
      ],
    },
  ],
  "two current keys": [
    ["drop index encryption_keys_current", addKey(), addKey("A".repeat(22))],
    {
      17: [
        "encryption key AAAAAAAAAAAAAAAAAAAAAA of reseller rsl_seller does not have the id of its public key",
        "reseller rsl_seller has 2 current encryption keys in live",
      ],
    },
  ],
  "a key whose public half was exchanged": [
    [addKey(), "update encryption_keys set public_key = sha256('other')"],
    { 17: [`encryption key ${KID} of reseller rsl_seller does not have the id of its public key`] },
  ],
  "a missing guard": [
    ["drop trigger encryption_keys_stay on encryption_keys"],
    { 10: ["the trigger encryption_keys_stay is missing, changed or switched off"] },
  ],
});
