/** What the seal of a part of an uploaded file is bound to. A file of stock holds codes. */
export const uploadContext = (jobId: string, number: number): string => `upload:${jobId}:${number}`;
