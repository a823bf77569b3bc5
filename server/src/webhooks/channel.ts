/** On which workers hear that there is something to deliver. */
export const DELIVERIES_CHANNEL = "scrip_webhooks";
