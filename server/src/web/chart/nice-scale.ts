/** An axis from 0 to a round number at or above the largest value, with at most three steps. Values are whole: counts or minor units. */
export function niceScale(largest: number): { max: number; ticks: readonly number[] } {
  if (!(largest > 0)) return { max: 1, ticks: [0, 1] };
  const power = 10 ** Math.floor(Math.log10(largest));
  const sizes = STEPS.map((factor) => factor * power);
  const step =
    sizes.find((size) => Number.isInteger(size) && size * STEPS_MAX >= largest) ?? Math.ceil(largest);
  const count = Math.ceil(largest / step);
  return { max: count * step, ticks: Array.from({ length: count + 1 }, (_, index) => index * step) };
}

const STEPS_MAX = 3;
const STEPS = [0.4, 0.5, 1, 2, 2.5, 5] as const;
