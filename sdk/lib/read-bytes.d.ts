/**
 * The body, or undefined when it is larger than the limit. It grows one buffer: kept apart, a body that drips in chunks of
 * a single byte would take a hundred times its size.
 */
export declare function readBytes(response: Response, limitBytes: number): Promise<Uint8Array | undefined>;
