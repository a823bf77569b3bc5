import type { Open } from "../http/shapes.ts";
import type { ENVIRONMENTS } from "../words.ts";
import type { Money } from "./common.ts";

/** Requests per second, and how many can be sent at once. 0 means that there is no limit. */
export type Rate = { perSecond: number; burst: number };

/** The key of this client, its reseller and its limits. */
export type Me = {
  key: {
    id: string;
    name: string;
    environment: Open<(typeof ENVIRONMENTS)[number]>;
    prefix: string;
    last4: string;
    scopes: string[];
    /** Empty if every address can use the key. */
    allowedIps: string[];
    createdAt: string;
    expiresAt?: string;
    maxOrder?: Money;
    maxDay?: Money;
    /** For a key with `wallet:read` whose spending is limited or counted. */
    spentToday?: Money;
    velocityTimes?: number;
  };
  reseller: { id: string; name: string; currency: string };
  limits: { orders: Rate; reads: Rate };
  /** The clock of the server. */
  time: string;
};
