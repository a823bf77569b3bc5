import type { LoggedProblem } from "../../types/requests.js";
export declare const requestMembers: {
    id: import("../shapes.js").Shape<string>;
    createdAt: import("../shapes.js").Shape<string>;
    method: import("../shapes.js").Shape<string>;
    path: import("../shapes.js").Shape<string>;
    status: import("../shapes.js").Shape<number>;
    errorCode: import("../shapes.js").Optional<string>;
    keyId: import("../shapes.js").Optional<string>;
    keyHint: import("../shapes.js").Optional<string>;
    address: import("../shapes.js").Shape<string>;
    durationMs: import("../shapes.js").Shape<number>;
};
export declare const loggedProblem: import("../shapes.js").Shape<LoggedProblem>;
