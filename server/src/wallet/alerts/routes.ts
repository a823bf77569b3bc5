import type { FastifyInstance } from "fastify";
import type { Static } from "typebox";
import type { Db } from "../../db/database.ts";
import { callerOf } from "../../http/caller.ts";
import { jsonReply } from "../../http/json-reply.ts";
import { named } from "../../http/named-schema.ts";
import { Type } from "../../http/openapi/type.ts";
import type { Clock } from "../../lib/clock.ts";
import { AMOUNT_MAX_MINOR, toMoney } from "../../lib/money.ts";
import { getWallet } from "../get-wallet.ts";
import { findAlert } from "./alert-queries.ts";
import { changeAlert } from "./set-alert.ts";

const WalletAlertReply = named(
  "WalletAlertReply",
  Type.Object({
    alert: Type.Object(
      {
        threshold: Type.Optional(
          Type.Object({
            amount: Type.Integer({ description: "Threshold in minor units." }),
            currency: Type.String(),
            minorUnitExponent: Type.Integer(),
          }),
        ),
      },
      {
        description: "Without a threshold there is no alert.",
        examples: [{ threshold: { amount: 10_000, currency: "USD", minorUnitExponent: 2 } }],
      },
    ),
  }),
);

const SetWalletAlertRequest = named(
  "SetWalletAlertRequest",
  Type.Object(
    {
      threshold: Type.Unsafe<number | null>({
        type: ["integer", "null"],
        minimum: 1,
        maximum: Number(AMOUNT_MAX_MINOR),
        description: "In minor units of the wallet's currency. `null` for no alert.",
      }),
    },
    { additionalProperties: false, examples: [{ threshold: 10_000 }] },
  ),
);

/** The balance below which the reseller is told. */
export function walletAlertRoutes(app: FastifyInstance, deps: { db: Db; clock: Clock }): void {
  app.get("/v1/wallet/alert", {
    config: { scope: "wallet:read" },
    schema: {
      operationId: "getWalletAlert",
      tags: ["Wallet"],
      summary: "Get the low-balance threshold",
      description: "Returns the balance below which you get the event `wallet.low` and an email.",
      response: { 200: jsonReply("The threshold.", WalletAlertReply) },
    },
    handler: async (request) => {
      const tenant = callerOf(request);
      const [{ currency }, belowMinor] = await Promise.all([
        getWallet(deps.db, tenant),
        findAlert(deps.db, tenant),
      ]);
      return toReply(belowMinor, currency);
    },
  });

  app.put<{ Body: Static<typeof SetWalletAlertRequest> }>("/v1/wallet/alert", {
    config: {
      scope: "wallet:write",
      problems: ["invalid_request", "payload_too_large", "unsupported_media_type"],
    },
    schema: {
      operationId: "setWalletAlert",
      tags: ["Wallet"],
      summary: "Set the low-balance threshold",
      description:
        "You get the event `wallet.low` and an email when the balance falls below the threshold, once until it has been at or above it again. A balance that is below a new threshold already is not a fall. Each environment has its own threshold.",
      body: SetWalletAlertRequest,
      response: { 200: jsonReply("The threshold as it is now.", WalletAlertReply) },
    },
    handler: async (request) => {
      const caller = callerOf(request);
      const { threshold } = request.body;
      const by = { actor: caller.actor, address: request.callerAddress };
      const belowMinor = threshold === null ? null : BigInt(threshold);
      const { currency } = await changeAlert(deps, caller, belowMinor, by);
      return toReply(belowMinor, currency);
    },
  });
}

const toReply = (belowMinor: bigint | null, currency: string) => ({
  alert: belowMinor === null ? {} : { threshold: toMoney(belowMinor, currency) },
});
