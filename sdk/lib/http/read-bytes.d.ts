/**
 * The body, or undefined when it is larger than the limit. It grows one buffer: separate chunks of a single byte would take a
 * hundred times the size.
 */
export declare function readBytes(response: Response, limitBytes: number): Promise<Uint8Array | undefined>;
