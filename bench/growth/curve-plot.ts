import { type Curve, figureNames, shownFigure } from './curve.js';

const panel = { width: 300, height: 190, left: 62, right: 18, top: 34, bottom: 42 };
const panelsInRow = 3;
const ink = { line: '#1f6feb', text: '#24292f', grid: '#d0d7de', ground: '#ffffff' };
const ticks = 4;

/** One panel for each figure of a curve: sizes from left to right on a logarithmic scale, figures upwards from zero. */
export function plotCurve(title: string, curve: Curve): string {
  const names = figureNames(curve);
  const width = panel.width * Math.min(panelsInRow, names.length);
  const height = panel.height * Math.ceil(names.length / panelsInRow);
  const panels = names.map((name, at) => {
    const [x, y] = [(at % panelsInRow) * panel.width, Math.floor(at / panelsInRow) * panel.height];
    return `<g transform="translate(${x} ${y})">${plotFigure(curve, name)}</g>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, sans-serif" font-size="11" fill="${ink.text}">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="${ink.ground}"/>`,
    ...panels,
    '</svg>\n',
  ].join('\n');
}

function plotFigure({ points, of }: Curve, name: string): string {
  const measured = points.flatMap(({ size, figures }) => {
    const figure = figures[name];
    return figure === undefined || Number.isNaN(figure) ? [] : [{ size, figure }];
  });
  const top = niceTop(Math.max(0, ...measured.map(({ figure }) => figure)));
  const x = scaleOfSizes(points.map(({ size }) => size));
  const y = (figure: number): number =>
    panel.height - panel.bottom - (figure / top) * (panel.height - panel.top - panel.bottom);
  const grid = Array.from({ length: ticks + 1 }, (_, n) => {
    const figure = (top * n) / ticks;
    return (
      `<line x1="${panel.left}" x2="${panel.width - panel.right}" y1="${y(figure)}" y2="${y(figure)}" stroke="${ink.grid}"/>` +
      `<text x="${panel.left - 6}" y="${y(figure) + 4}" text-anchor="end">${shownFigure(figure)}</text>`
    );
  });
  const sizes = points.map(
    ({ size }) =>
      `<text x="${x(size)}" y="${panel.height - panel.bottom + 15}" text-anchor="middle">${shortSize(size)}</text>`,
  );
  const path = measured.map(({ size, figure }) => `${x(size)},${y(figure)}`).join(' ');
  const dots = measured.map(
    ({ size, figure }) => `<circle cx="${x(size)}" cy="${y(figure)}" r="3" fill="${ink.line}"/>`,
  );
  return [
    `<text x="${panel.left}" y="18" font-weight="600">${escaped(name)}</text>`,
    ...grid,
    ...sizes,
    `<text x="${panel.left}" y="${panel.height - 8}">${escaped(of)}</text>`,
    `<polyline points="${path}" fill="none" stroke="${ink.line}" stroke-width="2"/>`,
    ...dots,
  ].join('');
}

/** From a size to its place between the left and the right edge. */
function scaleOfSizes(sizes: readonly number[]): (size: number) => number {
  const [least, most] = [Math.log(Math.min(...sizes)), Math.log(Math.max(...sizes))];
  const room = panel.width - panel.left - panel.right;
  return (size) => panel.left + (most === least ? room / 2 : (room * (Math.log(size) - least)) / (most - least));
}

/** The least of 1, 2 and 5 times a power of ten that is not below the figure. */
function niceTop(figure: number): number {
  if (figure <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(figure));
  return [1, 2, 5, 10].map((factor) => factor * power).find((top) => top >= figure) ?? figure;
}

function shortSize(size: number): string {
  if (size >= 1_000_000) return `${size / 1_000_000} M`;
  return size >= 1_000 ? `${size / 1_000} k` : `${size}`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
