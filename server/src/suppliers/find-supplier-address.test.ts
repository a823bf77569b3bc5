import assert from "node:assert/strict";
import { test } from "node:test";
import { secret } from "../lib/secret.ts";
import { fixedKeyring } from "../vault/keyring.ts";
import { seal } from "../vault/seal.ts";
import { findSupplierAddress, openSupplierConfig, supplierConfigContext } from "./supplier-config.ts";

const ID = "sup_1";
const keys = [secret(Buffer.alloc(32, 7))] as const;
const keyring = fixedKeyring(keys);
const sealed = (text: string) => ({
  id: ID,
  sealedConfig: seal(keys, supplierConfigContext(ID), Buffer.from(text)),
});

test("the address of a config that is refused today is still known, so that it can be repaired", () => {
  const config = { baseUrl: "http://10.0.0.5:8080", apiKey: `sc_live_${"a".repeat(38)}` };
  const supplier = sealed(JSON.stringify(config));
  assert.throws(() => openSupplierConfig(keyring, supplier), /plain http/);
  assert.equal(findSupplierAddress(keyring, supplier), "http://10.0.0.5:8080/");
});

test("a config that does not open, or names no address, has none", () => {
  assert.equal(findSupplierAddress(keyring, { ...sealed("{}"), id: "sup_2" }), undefined);
  assert.equal(findSupplierAddress(keyring, sealed("{}")), undefined);
  assert.equal(findSupplierAddress(keyring, sealed('{"baseUrl": "nowhere"}')), undefined);
});
