import { localError } from "../errors.js";
/** Without AbortSignal.any and .timeout, which Node 18 lacks or does not wait for. */
export function startDeadline(timeoutMs, outer) {
    const controller = new AbortController();
    let giveUp = () => { };
    const passed = new Promise((_resolve, reject) => {
        giveUp = (error) => {
            // Rejected before the signal, so that the deadline's error wins over the one that fetch makes of the signal.
            reject(error);
            controller.abort();
        };
    });
    passed.catch(() => { });
    const onAbort = () => giveUp(localError("aborted", "The call was aborted."));
    const timer = setTimeout(() => giveUp(localError("timeout", `The API did not respond within ${timeoutMs} ms.`)), timeoutMs);
    outer?.addEventListener("abort", onAbort, { once: true });
    if (outer?.aborted)
        onAbort();
    return {
        signal: controller.signal,
        race: (work) => Promise.race([passed, work]),
        abandon: () => controller.abort(),
        clear() {
            clearTimeout(timer);
            outer?.removeEventListener("abort", onAbort);
        },
    };
}
