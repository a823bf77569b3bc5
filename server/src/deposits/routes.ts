import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Db } from "../db/database.ts";
import { type Caller, callerOf } from "../http/caller.ts";
import { jsonReply } from "../http/json-reply.ts";
import { Type } from "../http/openapi/type.ts";
import { pageParameters, readPage } from "../http/page.ts";
import { invalidParameter, queryFilter, queryText } from "../http/query.ts";
import type { Clock } from "../lib/clock.ts";
import type { CursorCodec } from "../lib/cursor.ts";
import { notFound } from "../lib/problem.ts";
import { IDEMPOTENCY_KEY_MAX_CHARACTERS, readIdempotencyKey } from "../orders/idempotency-key.ts";
import { DEPOSIT_STATUSES, type DepositStatus } from "./deposit.ts";
import { findDeposit } from "./deposit-queries.ts";
import { toDepositView } from "./deposit-view.ts";
import type { DepositInstructions } from "./instructions.ts";
import { listDeposits } from "./list-deposits.ts";
import { requestDeposit } from "./request-deposit.ts";
import { DepositPage, DepositReply, type RequestDepositBody, RequestDepositRequest } from "./schemas.ts";

export type DepositRouteDeps = {
  db: Db;
  clock: Clock;
  cursors: CursorCodec;
  depositInstructions: DepositInstructions;
};

export function depositRoutes(app: FastifyInstance, deps: DepositRouteDeps): void {
  requestRoute(app, deps);
  readRoutes(app, deps);
}

function requestRoute(app: FastifyInstance, deps: DepositRouteDeps): void {
  app.post<{ Body: RequestDepositBody }>("/v1/deposits", {
    config: {
      scope: "wallet:write",
      problems: [
        "idempotency_key_missing",
        "idempotency_key_invalid",
        "payload_too_large",
        "unsupported_media_type",
        "idempotency_conflict",
        "deposit_limit_reached",
      ],
    },
    schema: {
      operationId: "requestDeposit",
      tags: ["Wallet"],
      summary: "Request a deposit",
      description:
        "Tells the operator that you will send money, and returns the reference and the instructions for the payment. The wallet is credited once the payment has arrived; the event `deposit.credited` says so. With an `Idempotency-Key`, a repeat returns the first deposit with `Idempotent-Replayed: true`. In the sandbox a deposit is credited within seconds, without a payment.",
      headers: Type.Object({
        "Idempotency-Key": Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: IDEMPOTENCY_KEY_MAX_CHARACTERS,
            description:
              "A unique key for each deposit, 1 to 255 printable ASCII characters. Keys never expire.",
            examples: ["transfer-1001"],
          }),
        ),
      }),
      body: RequestDepositRequest,
      response: { 200: { ...jsonReply("The deposit.", DepositReply), headers: replayHeaders } },
    },
    handler: async (request, reply) => {
      const caller = callerOf(request);
      const { amount, note } = request.body;
      const { deposit, replayed } = await requestDeposit(
        deps,
        caller,
        { amountMinor: BigInt(amount), note, idempotencyKey: findIdempotencyKey(request) },
        { actor: caller.actor, address: request.callerAddress },
      );
      if (replayed) reply.header("idempotent-replayed", "true");
      return { deposit: toDepositView(deposit, deps.depositInstructions) };
    },
  });
}

function readRoutes(app: FastifyInstance, deps: DepositRouteDeps): void {
  app.get<{ Params: { id: string } }>("/v1/deposits/:id", {
    config: { scope: "wallet:read", problems: ["not_found"] },
    schema: {
      operationId: "getDeposit",
      tags: ["Wallet"],
      summary: "Get a deposit",
      description: "Returns one deposit. A deposit of another reseller or environment is not found.",
      params: Type.Object({ id: Type.String({ description: "Deposit id." }) }),
      response: { 200: jsonReply("The deposit.", DepositReply) },
    },
    handler: async (request) => {
      const { id } = request.params;
      const deposit = id.includes("\0") ? undefined : await findDeposit(deps.db, id, callerOf(request));
      if (!deposit) throw notFound();
      return { deposit: toDepositView(deposit, deps.depositInstructions) };
    },
  });

  app.get("/v1/deposits", {
    config: { scope: "wallet:read", problems: ["invalid_request", "invalid_cursor"] },
    schema: {
      operationId: "listDeposits",
      tags: ["Wallet"],
      summary: "List deposits",
      description: "Returns deposits, newest first.",
      querystring: Type.Object({
        ...pageParameters,
        status: Type.Optional(
          Type.String({
            description:
              "Return only deposits with this status: `requested`, `received`, `credited` or `rejected`.",
          }),
        ),
      }),
      response: { 200: jsonReply("A page of deposits.", DepositPage) },
    },
    handler: (request) => readList(deps, callerOf(request), request),
  });
}

async function readList(deps: DepositRouteDeps, caller: Caller, request: FastifyRequest) {
  const status = readStatus(request);
  const scope = { ...caller, endpoint: "listDeposits", filters: { status: status ?? "" } };
  const { limit } = readPage(request, deps.cursors, scope);
  const page = await listDeposits(deps, caller, { status, cursor: queryText(request, "cursor"), limit });
  return {
    ...page,
    data: page.data.map((deposit) => toDepositView(deposit, deps.depositInstructions)),
  };
}

function readStatus(request: FastifyRequest): DepositStatus | undefined {
  const text = queryFilter(request, "status");
  if (text === undefined) return undefined;
  const status = DEPOSIT_STATUSES.find((known) => known === text);
  if (!status) throw invalidParameter("status", `status must be one of ${DEPOSIT_STATUSES.join(", ")}.`);
  return status;
}

const findIdempotencyKey = (request: FastifyRequest): string | undefined =>
  request.headers["idempotency-key"] === undefined ? undefined : readIdempotencyKey(request);

const replayHeaders = {
  "Idempotent-Replayed": {
    description: "`true` if an earlier request with the same key already made the deposit.",
    schema: { type: "string", examples: ["true"] },
  },
};
