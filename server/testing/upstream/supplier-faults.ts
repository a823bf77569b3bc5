import type { Random } from "../seed.ts";
import { anyhow, type FaultPlan, sells, UPSTREAM_FAULTS } from "./upstream-faults.ts";
import { after, before, drawFlood, type Step, type Verb } from "./upstream-steps.ts";

/** Another price than the one on the list. */
export const WRONG_PRICE_MINOR = 93;

/** What suppliers do that another Scrip does not. */
export const SUPPLIER_FAULTS = {
  ...UPSTREAM_FAULTS,
  // It was bought, and the answer says that we are not signed in; or it was not.
  "signed-out": (random) =>
    sells(anyhow(random), {
      place: [before("unauthorized")],
      list: random.chance(0.5) ? [after("unauthorized")] : [],
      codes: random.chance(0.5) ? [after("unauthorized")] : [],
    }),
  "busy-before": (random) =>
    sells(anyhow(random), { place: [before(random.pick(["busy", "rate_limited"]))] }),
  "busy-after": (random) =>
    sells(anyhow(random), {
      place: [after(random.pick(["busy", "rate_limited"]))],
      list: random.chance(0.5) ? [after("busy")] : [],
    }),
  floods: (random) => {
    const verb: Verb = random.pick(["place", "place", "list", "codes"]);
    const step: Step = after(drawFlood(random));
    return sells(anyhow(random), { place: [after("reset")], [verb]: [step] });
  },
  "wrong-price": (random) => sells({ ...anyhow(random), priceMinor: WRONG_PRICE_MINOR }),
  "partly-sold": (random) => sells({ ...anyhow(random), partial: "sold" }),
  "partly-unsold": (random) => sells({ ...anyhow(random), partial: "unsold" }),
  reverses: (random) => sells({ ...anyhow(random), reverses: true }),
} satisfies Record<string, (random: Random) => FaultPlan>;

export type SupplierFaultKind = keyof typeof SUPPLIER_FAULTS;
