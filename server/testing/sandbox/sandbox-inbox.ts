import Stripe from "stripe";
import { createCheckedAgent } from "../../src/webhooks/addresses/checked-agent.ts";
import { sendDelivery } from "../../src/webhooks/delivery/send-delivery.ts";
import type { TestApp } from "../app/test-app.ts";
import { LOOPBACK } from "../app/test-settings.ts";
import { createTestDeliverer, type TestDeliverer } from "../builders/delivery.ts";
import type { HandClock } from "../hand-clock.ts";
import { type Answer, type HttpsReceiver, startHttpsReceiver } from "../receivers/https-receiver.ts";
import { ok } from "../receivers/receiver-answers.ts";
import { caCertificate } from "../receivers/tls-fixture.ts";

/** One request that the reseller's web server received. */
export type Received = { eventId: string; type: string; orderId: string; status: string; verifies: boolean };

export type SandboxInbox = {
  receiver: HttpsReceiver;
  url: string;
  /** The secret that verifies deliveries from now on. */
  trust(secret: string): void;
  createDeliverer(scrip: TestApp): TestDeliverer;
  /** What the web server has received for an order so far, in the order in which it happened. */
  receivedOf(orderId: string): Received[];
  answerWith(answer: Answer): void;
  close(): Promise<void>;
};

const TOLERANCE_SECONDS = 300;

/** The reseller's web server: real HTTPS, each request verified by an independent verifier. */
export async function openSandboxInbox(clock: HandClock): Promise<SandboxInbox> {
  const received: Received[] = [];
  const { webhooks } = new Stripe("sk_test_unused");
  let secret = "";
  let answer = ok;
  const verifies = (body: Buffer, header: string): boolean => {
    try {
      webhooks.constructEvent(body, header, secret, TOLERANCE_SECONDS, undefined, clock.now().getTime());
      return true;
    } catch (error) {
      if (error instanceof Stripe.errors.StripeSignatureVerificationError) return false;
      throw error;
    }
  };
  const receiver = await startHttpsReceiver((response, request) => {
    const { type, data } = JSON.parse(request.body.toString("utf8"));
    received.push({
      eventId: String(request.headers["service-event-id"]),
      type,
      orderId: data.order_id,
      status: data.status,
      verifies: verifies(request.body, String(request.headers["service-signature"])),
    });
    answer(response, request);
  });
  const agent = createCheckedAgent({ allowNetworks: LOOPBACK, ca: caCertificate });
  return {
    receiver,
    url: receiver.url(),
    trust(shown: string) {
      secret = shown;
    },
    createDeliverer: ({ db }: TestApp): TestDeliverer =>
      createTestDeliverer(db, clock, (sending) => sendDelivery({ agent, allowNetworks: LOOPBACK }, sending)),
    // Two events of the same moment are sent in parallel and can arrive in either order. Their ids show which was
    // first.
    receivedOf: (orderId: string) =>
      received
        .filter((one) => one.orderId === orderId)
        .sort((one, other) => Number(one.eventId > other.eventId) - Number(one.eventId < other.eventId)),
    answerWith(next: Answer) {
      answer = next;
    },
    async close() {
      agent.destroy();
      await receiver.close();
    },
  };
}
