// English of the chart.

export const words = {
  close: (title: string) => `Close: ${title}`,
  summary: (bars: number, from: string, to: string) => `${bars} bars from ${from} to ${to}.`,
  figures: (open: string, last: string, low: string, high: string) =>
    `Opened at ${open}, last ${last}, lowest ${low}, highest ${high}.`,
  none: 'No trades in this time yet.',
} as const
