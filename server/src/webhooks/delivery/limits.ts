/** All limits of deliveries. Tests change some of them. */
export type DeliveryLimits = {
  /** Deliveries in progress at once in this process. */
  inFlightMax: number;
  /** How many of those are reserved for lanes that have nothing in progress, one for each. */
  keptForFirst: number;
  /** How many of those failing endpoints can use, so that others never wait for them. */
  failingInFlightMax: number;
  /** Deliveries in progress at once to one endpoint: at first, and at most. */
  laneFirst: number;
  laneMax: number;
  /** An endpoint that answers more slowly is kept narrow, so that a few slow endpoints cannot use up the capacity. */
  slowMs: number;
  /** The pause of a failing lane after each attempt, so that an endpoint that refuses at once is not hammered. */
  failingPauseMs: number;
  /** How long a worker keeps a lane that has more to send. Then another worker can take it. */
  laneTurnMs: number;
  leaseMs: number;
  pollMs: number;
  /** How many waiting retries a success pulls forward at a time. */
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
  // Longer than a turn and its last attempt can take, even if that is sent twice, so that no lane is taken over while its worker is alive.
  leaseMs: 45_000,
  pollMs: 1_000,
  pulledForwardMax: 200,
};
