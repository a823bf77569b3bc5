import { rotateVault } from "../../admin/rotate-vault.ts";
import { JobFailed, type JobKind } from "../job-kind.ts";

/** Seals everything under the newest master key. What is sealed under it already is left alone, so it can be run again. */
export const rotateVaultJob: JobKind = {
  title: "Rotation of the master key",
  async run(deps, job) {
    const rotated = await rotateVault(deps, { onProgress: (done, total) => job.advance(done, total) });
    const { key, rewrapped, current, failed, complete } = rotated;
    const result = { key, rewrapped, current, failed, complete };
    if (failed > 0)
      throw new JobFailed(`${failed} values cannot be decrypted; scrip vault rotate names them.`, { result });
    if (!complete)
      throw new JobFailed("Other transactions held rows for too long. Start the rotation again.", { result });
    await deps.db.transaction((tx) => job.succeed(tx, result));
  },
};
