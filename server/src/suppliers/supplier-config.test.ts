import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { inspect } from "node:util";
import { secret } from "../lib/secret.ts";
import { fixedKeyring, type Keyring } from "../vault/keyring.ts";
import { type MasterKeys, SealError } from "../vault/seal.ts";
import { readSupplierConfig, sealSupplierConfig, unsealSupplierConfig } from "./supplier-config.ts";

const older = secret(Buffer.alloc(32, 1));
const newer = secret(Buffer.alloc(32, 2));
const keyring = fixedKeyring([older]);
const CONFIG = { baseUrl: "https://upstream.example", apiKey: `sc_live_${"S3cret".repeat(6)}zz` };

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "scrip-supplier-config-"));
});
after(() => rm(folder, { recursive: true, force: true }));

test("a config opens for its own supplier alone, and is not readable while it is sealed", () => {
  const sealedConfig = sealSupplierConfig(keyring, "sup_1", CONFIG);
  assert.equal(sealedConfig.includes("S3cret"), false);
  assert.deepEqual({ ...(unsealSupplierConfig(keyring, { id: "sup_1", sealedConfig }) as object) }, CONFIG);
  assert.throws(() => unsealSupplierConfig(keyring, { id: "sup_2", sealedConfig }), SealError);
});

test("a config sealed under a key that was added a moment ago opens after a look at the key file", () => {
  const sealedConfig = sealSupplierConfig(fixedKeyring([newer]), "sup_1", CONFIG);
  let keys: MasterKeys = [older];
  const following: Keyring = {
    masterKeys: () => keys,
    reload: () => {
      keys = [newer, older];
    },
  };
  const opened = unsealSupplierConfig(following, { id: "sup_1", sealedConfig });
  assert.equal((opened as typeof CONFIG).baseUrl, CONFIG.baseUrl);
  assert.throws(() => unsealSupplierConfig(keyring, { id: "sup_1", sealedConfig }), /not available/);
});

const FILES: [string, string, RegExp][] = [
  ["JSON that breaks off", '{"apiKey": "S3cret', /is not JSON, or has a duplicate key/],
  ["a duplicate key", '{"S3cret": 1, "S3cret": 2}', /is not JSON, or has a duplicate key/],
  ["a file without end", JSON.stringify("S3cret".repeat(20_000)), /is longer than 65536 bytes/],
];

test("a file is read strictly, and the error quotes nothing of it", async () => {
  const file = join(folder, "config.json");
  for (const [what, text, reason] of FILES) {
    await writeFile(file, text);
    await assert.rejects(readSupplierConfig(file), (error: Error) => {
      assert.match(error.message, reason, what);
      assert.equal(inspect(error).includes("S3cret"), false, what);
      return true;
    });
  }
  await writeFile(file, JSON.stringify(CONFIG));
  assert.deepEqual({ ...((await readSupplierConfig(file)) as object) }, CONFIG);
  await assert.rejects(readSupplierConfig(join(folder, "none.json")), /cannot read .*: file not found/);
});
