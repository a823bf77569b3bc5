import { JobFailed, type JobParams } from "../job-kind.ts";

/** A parameter of a job as text, or undefined when it has none. */
export const optionalText = (params: JobParams, name: string): string | undefined => {
  const value = params[name];
  return typeof value === "string" && value !== "" ? value : undefined;
};

export function requiredText(params: JobParams, name: string): string {
  const value = optionalText(params, name);
  if (value === undefined) throw new JobFailed(`the job has no ${name}`);
  return value;
}
