/** Every limit of deliveries, in one place; tests change some of them. */
export type DeliveryLimits = {
  /** Deliveries under way at once, in this process. */
  inFlightMax: number;
  /** How many of those are kept for lanes that have nothing under way, one for each. */
  keptForFirst: number;
  /** How many of those may be taken up by endpoints that fail, so that the others never wait for them. */
  failingInFlightMax: number;
  /** Deliveries under way at once to one endpoint: at first, and at most. */
  laneFirst: number;
  laneMax: number;
  /** An endpoint that takes longer to say yes is kept narrow, so that a few slow ones cannot take up everything. */
  slowMs: number;
  /** How long a lane that fails is left alone after each try, so that one that refuses at once is not hammered. */
  failingPauseMs: number;
  /** So long a lane is kept at most while there is more for it, so that workers share what there is. */
  laneTurnMs: number;
  leaseMs: number;
  pollMs: number;
  /** Waiting retries that a success pulls forward, at a time. */
  pulledForwardMax: number;
};

export const DELIVERY_LIMITS: DeliveryLimits = {
  inFlightMax: 256,
  keptForFirst: 64,
  failingInFlightMax: 64,
  laneFirst: 8,
  laneMax: 32,
  slowMs: 1_000,
  failingPauseMs: 250,
  laneTurnMs: 10_000,
  // Longer than a turn and the attempt that is its last may take, even one that is sent twice, so that a lane is not taken over while its worker lives.
  leaseMs: 45_000,
  pollMs: 1_000,
  pulledForwardMax: 200,
};
