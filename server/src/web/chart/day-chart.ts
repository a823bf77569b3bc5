import { dayText } from "../parts/time.ts";
import { attrs, type Html, html } from "../template/html.ts";
import { niceScale } from "./nice-scale.ts";

export type ChartTone = "accent" | "bad" | "wait" | "warn" | "quiet";

export type DayChartOptions = {
  /** What is counted: "Orders by day". */
  title: string;
  kind: "bars" | "line";
  /** Bars lie on top of each other in this order, the first at the bottom. */
  series: readonly { name: string; tone: ChartTone }[];
  /** One for each day, oldest first, with a value for each series. */
  days: readonly { day: Date; values: readonly number[]; isPartial?: boolean }[];
  /** How a value is written: counts as they are, money with its currency. */
  format?: (value: number) => string;
  /** Where the bars are not days: what one is called, and how its time is written. */
  unit?: { name: string; text: (at: Date) => string };
};

const DAY_UNIT = { name: "Day", text: dayText };

/** The drawing is stretched to the room that there is; its labels are text beside it and are not. */
const WIDTH = 1_000;
const HEIGHT = 200;

/** A chart by day, or by another unit of time, as SVG from the server, with a table of the same numbers below it. */
export function dayChart(options: DayChartOptions): Html {
  const { title, series, days, unit = DAY_UNIT } = options;
  const format = options.format ?? ((value: number) => value.toLocaleString("en-US"));
  if (days.length === 0) return html`<p class="quiet">No days to show.</p>`;
  const top = Math.max(...days.map(({ values }) => heightOf(options.kind, values)), 0);
  const scale = niceScale(top);
  const drawing = options.kind === "bars" ? drawBars(options, scale.max) : drawLines(options, scale.max);
  const [first, middle, last] = [days[0], days[Math.floor(days.length / 2)], days.at(-1)];
  return html`<figure class="chart">
    <figcaption class="legend">${series.length < 2 ? undefined : series.map(({ name, tone }) => html`<span class="key ${tone}">${name}</span>`)}</figcaption>
    <div class="plot">
      <div class="y" aria-hidden="true">${scale.ticks.toReversed().map((tick) => html`<span>${format(tick)}</span>`)}</div>
      <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${summaryOf(options, format)}">
        ${scale.ticks.map((tick) => gridLine(HEIGHT - (tick / scale.max) * HEIGHT))}
        ${drawing}
        ${days.map((_, index) => hitArea(options, index, format))}
      </svg>
      <div class="x" aria-hidden="true"><span>${first && unit.text(first.day)}</span>${
        days.length > 2 ? html`<span>${middle && unit.text(middle.day)}</span>` : undefined
      }${days.length > 1 ? html`<span>${last && unit.text(last.day)}${last?.isPartial ? ", so far" : undefined}</span>` : undefined}</div>
    </div>
    <details><summary>Numbers as a table</summary><div class="scroll tall" role="region" aria-label="${title}, as a table" tabindex="0"><table>
      <thead><tr><th scope="col">${unit.name}</th>${series.map(({ name }) => html`<th scope="col" class="num">${name}</th>`)}</tr></thead>
      <tbody>${days
        .toReversed()
        .map(
          ({ day, values }) =>
            html`<tr><th scope="row">${unit.text(day)}</th>${series.map((_, index) => html`<td class="num">${format(values[index] ?? 0)}</td>`)}</tr>`,
        )}</tbody></table></div></details>
  </figure>`;
}

const heightOf = (kind: DayChartOptions["kind"], values: readonly number[]): number =>
  kind === "bars" ? values.reduce((sum, value) => sum + value, 0) : Math.max(...values, 0);

const gridLine = (y: number): Html =>
  html`<line class="grid" x1="0" x2="${WIDTH}" y1="${round(y)}" y2="${round(y)}" vector-effect="non-scaling-stroke"/>`;

const GAP_SHARE = 0.24;

function drawBars({ series, days }: DayChartOptions, max: number): Html[] {
  const step = WIDTH / days.length;
  return days.map(({ values, isPartial }, index) => {
    let y = HEIGHT;
    const bars = series.map(({ tone }, place) => {
      const value = values[place] ?? 0;
      // A few of many would be thinner than a line of pixels, and then nobody would know of them.
      const height = value <= 0 ? 0 : Math.max(2, (value / max) * HEIGHT);
      y -= height;
      return html`<rect class="${tone}" x="${round(index * step + (step * GAP_SHARE) / 2)}" y="${round(y)}" width="${round(step * (1 - GAP_SHARE))}" height="${round(height)}"/>`;
    });
    return html`<g${attrs({ class: isPartial ? "partial" : undefined })}>${bars}</g>`;
  });
}

function drawLines({ series, days }: DayChartOptions, max: number): Html[] {
  const step = WIDTH / days.length;
  return series.map(({ tone }, place) => {
    const points = days.map(
      ({ values }, index) =>
        `${round((index + 0.5) * step)},${round(HEIGHT - ((values[place] ?? 0) / max) * HEIGHT)}`,
    );
    return html`<polyline class="line ${tone}" points="${points.join(" ")}" vector-effect="non-scaling-stroke"/>`;
  });
}

/** The whole height of a day tells its numbers, to a pointer by our module and without it by the browser itself. */
function hitArea(
  { series, days, unit = DAY_UNIT }: DayChartOptions,
  index: number,
  format: (value: number) => string,
): Html {
  const step = WIDTH / days.length;
  const day = days[index];
  const numbers = series.map(({ name }, place) => `${name} ${format(day?.values[place] ?? 0)}`).join(", ");
  const tip = `${day && unit.text(day.day)}${day?.isPartial ? ", so far" : ""}: ${numbers}`;
  return html`<rect class="hit" x="${round(index * step)}" y="0" width="${round(step)}" height="${HEIGHT}" data-tip="${tip}"><title>${tip}</title></rect>`;
}

function summaryOf(
  { title, series, days, unit = DAY_UNIT }: DayChartOptions,
  format: (value: number) => string,
): string {
  const [first, last] = [days[0], days.at(-1)];
  const ranges = series.map(({ name }, place) => {
    const values = days.map(({ values: all }) => all[place] ?? 0);
    return `${name} between ${format(Math.min(...values))} and ${format(Math.max(...values))}`;
  });
  return `${title}, ${first && unit.text(first.day)} to ${last && unit.text(last.day)}: ${ranges.join("; ")}. The table below has the numbers.`;
}

const round = (value: number): number => Math.round(value * 10) / 10;
