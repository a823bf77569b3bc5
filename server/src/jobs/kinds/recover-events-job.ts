import type { Tenant } from "../../http/caller.ts";
import { recoverEvents } from "../../webhooks/history/recover-events.ts";
import { JobFailed, type JobKind } from "../job-kind.ts";
import { optionalText, requiredText } from "./read-params.ts";

/**
 * Recovers the missed events of an endpoint, some thousand deliveries in each transaction, which also counts them. What was
 * recovered waits or was delivered, so a run that goes on does not find it again.
 */
export const recoverEventsJob: JobKind = {
  title: "Recovery of missed events",
  async run(deps, job) {
    const tenant: Tenant = {
      resellerId: requiredText(job.params, "resellerId"),
      environment: job.params.environment === "test" ? "test" : "live",
    };
    const endpointId = requiredText(job.params, "endpointId");
    const until = optionalText(job.params, "until");
    const span = { since: requiredText(job.params, "since"), ...(until === undefined ? {} : { until }) };
    let done = Number(job.step.recovered ?? 0);
    for (let hasMore = true; hasMore; ) {
      const by = { actor: job.actor };
      const result = await recoverEvents(deps, tenant, endpointId, span, by, async (tx, recovered) => {
        const sum = done + recovered.recovered;
        if (recovered.hasMore) await job.checkpoint(tx, { step: { recovered: sum }, done: sum });
        else await job.succeed(tx, { recovered: sum });
      }).catch(asFailure);
      done += result.recovered;
      hasMore = result.hasMore;
    }
  },
};

/** A span or an endpoint that the verb refuses is refused again at each try. */
function asFailure(error: unknown): never {
  if (error instanceof Error && error.name === "Problem") throw new JobFailed(error.message);
  throw error;
}
