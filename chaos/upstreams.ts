import { type Fake, startFakeUpstream } from "../server/testing/upstream/fake-upstream.ts";
import { SUPPLIER_KINDS, startSupplierFake } from "../server/testing/upstream/supplier-fakes.ts";
import { SUPPLIER_FAULTS } from "../server/testing/upstream/supplier-faults.ts";

/** A supplier that misbehaves, of any kind but stock. */
export type Upstream = Fake & {
  kind: string;
  /** As our supplier, once it is added. */
  supplierId: string;
  config: Readonly<Record<string, string>>;
  /** What it keeps of our reference. */
  keyOf(reference: string): string;
  route: { sku: string; value: string | null } | undefined;
};

const TIMES = { lateMs: 2_000, landMs: 1_500 };
const TOKEN_MS = 2_000;
const SCRIPS = 2;

/** Two other Scrips, and one supplier of each other kind. */
export async function startUpstreams(
  seed: number,
  onStarted: (upstream: Upstream) => void,
): Promise<Upstream[]> {
  const upstreams: Upstream[] = [];
  const add = (upstream: Upstream) => {
    upstreams.push(upstream);
    onStarted(upstream);
  };
  for (let number = 0; number < SCRIPS; number += 1) {
    const fake = await startFakeUpstream({ seed: seed + number, noise: 0.05, ...TIMES });
    const config = { baseUrl: fake.baseUrl, apiKey: fake.apiKey };
    add({
      ...fake,
      kind: "scrip",
      supplierId: "",
      config,
      keyOf: (reference) => reference,
      route: undefined,
    });
  }
  for (const [number, kind] of SUPPLIER_KINDS.entries()) {
    const behaviour = {
      seed: seed + SCRIPS + number,
      table: SUPPLIER_FAULTS,
      noise: 0.03,
      tokenMs: TOKEN_MS,
    };
    const { fake, config, keyOf, route } = await startSupplierFake(kind, { ...behaviour, ...TIMES });
    add({ ...fake, kind, supplierId: "", config: config(), keyOf, route });
  }
  return upstreams;
}
